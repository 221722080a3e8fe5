import { isDeeperThan, isJsonObject, type Json, type JsonObject } from '@hookline/protocol'
import { jsonIn } from '../conditions/draft/written.ts'

export type DifferenceMark = 'removed' | 'changed' | 'hashed' | 'added'

/** A field that differs. */
export interface Difference {
  /** `context.ip`, as in the field rules. */
  readonly path: string
  readonly mark: DifferenceMark
}

/** A line of indented JSON. */
export interface MarkedLine {
  readonly text: string
  readonly mark?: DifferenceMark
  /** Whether the marked value begins here. */
  readonly isFirst?: boolean
}

/** A stored payload and the body made from it, with their differences. */
export interface PayloadDiff {
  readonly differences: readonly Difference[]
  readonly stored: readonly MarkedLine[]
  readonly sent: readonly MarkedLine[]
}

const MAX_DEPTH = 100

/**
 * Compares two JSON texts path by path; `undefined` if the body is not a form of the payload, for example after a transform.
 */
export function payloadDiff(storedText: string, sentText: string): PayloadDiff | undefined {
  const [stored, sent] = [objectIn(storedText), objectIn(sentText)]
  if (stored === undefined || sent === undefined) return undefined
  const isInData = isPayloadInData(stored, sent)
  if (isInData === undefined) return undefined
  const differences = differencesIn(isInData ? { data: stored } : stored, sent)
  const marks = new Map(differences.map(({ path, mark }) => [path, mark]))
  return {
    differences,
    stored: markedLines(stored, marks, 'added', isInData ? 'data' : undefined),
    sent: markedLines(sent, marks, 'removed'),
  }
}

function objectIn(text: string): JsonObject | undefined {
  const value = jsonIn(text)
  return isJsonObject(value) && !isDeeperThan(value, MAX_DEPTH) ? value : undefined
}

/** Whether the payload is in `data`, as in CloudEvents, or is the body; `undefined` if it is neither. */
function isPayloadInData({ messageId }: JsonObject, sent: JsonObject): boolean | undefined {
  if (messageId === undefined) return undefined
  if (sent['messageId'] === messageId) return false
  const { data } = sent
  return isJsonObject(data) && data['messageId'] === messageId ? true : undefined
}

/** @param path absent for the root: the key "" has the empty path */
function differencesIn(before: Json, after: Json, path?: string): readonly Difference[] {
  if (before === after) return []
  const [from, to] = [membersOf(before), membersOf(after)]
  if (from === undefined || to === undefined || Array.isArray(before) !== Array.isArray(after))
    return [{ path: path ?? '', mark: isHash(after) && !isHash(before) ? 'hashed' : 'changed' }]
  return [...new Set([...from.keys(), ...to.keys()])].flatMap((name): readonly Difference[] => {
    const [old, current] = [from.get(name), to.get(name)]
    const inner = pathTo(path, name)
    if (current === undefined) return [{ path: inner, mark: 'removed' }]
    if (old === undefined) return [{ path: inner, mark: 'added' }]
    return differencesIn(old, current, inner)
  })
}

/** The members of an object or the items of a list; `undefined` for other values. */
function membersOf(value: Json): ReadonlyMap<string, Json> | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  return new Map(
    Object.entries(value).filter((each): each is [string, Json] => each[1] !== undefined),
  )
}

/** An HMAC-SHA256 in hexadecimal. */
function isHash(value: Json): boolean {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)
}

function pathTo(path: string | undefined, name: string): string {
  const step = name.replaceAll('.', String.raw`\.`)
  return path === undefined ? step : `${path}.${step}`
}

/**
 * The lines of `JSON.stringify(value, null, 2)`, marked by path. `absent`: the mark of fields that only the other side has; it is
 * ignored here.
 */
function markedLines(
  value: Json,
  marks: ReadonlyMap<string, DifferenceMark>,
  absent: DifferenceMark,
  root?: string,
): readonly MarkedLine[] {
  const linesOf = (
    each: Json,
    path: string | undefined,
    { indent, name, end }: LinePlace,
  ): MarkedLine[] => {
    const mark = path === undefined ? undefined : marks.get(path)
    const members = [...(membersOf(each) ?? [])]
    const isMarked = mark !== undefined && mark !== absent
    if (isMarked || members.length === 0) {
      const lines = `${name}${JSON.stringify(each, null, 2)}${end}`.split('\n')
      return lines.map((text, index) => ({
        text: indent + text,
        ...(isMarked && { mark, isFirst: index === 0 }),
      }))
    }
    const isList = Array.isArray(each)
    const [open, close] = isList ? ['[', ']'] : ['{', '}']
    const inner = members.flatMap(([key, member], index) =>
      linesOf(member, pathTo(path, key), {
        indent: `${indent}  `,
        name: isList ? '' : `${JSON.stringify(key)}: `,
        end: index < members.length - 1 ? ',' : '',
      }),
    )
    return [{ text: indent + name + open }, ...inner, { text: indent + close + end }]
  }
  return linesOf(value, root, { indent: '', name: '', end: '' })
}

/** The text around a value in its line. */
interface LinePlace {
  readonly indent: string
  /** `"userId": `; empty in a list. */
  readonly name: string
  readonly end: '' | ','
}
