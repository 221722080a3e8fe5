import {
  callsWithInexactIds,
  containsNumber,
  EVENT_TYPES,
  type EventType,
  hasNumericId,
  INGEST_CODES,
  type IngestCodeName,
  isDeeperThan,
  isJsonObject,
  isRounded,
  type Json,
  LIMITS,
  parseTimestamp,
  roundedNumbers,
  withoutNonFinite,
} from '@hookline/protocol'
import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import type { UncheckedCall } from '../sending/send-calls.ts'
import type { Fingerprint } from './fingerprint.ts'
import type { Line } from './read-lines.ts'

export interface LineCall extends UncheckedCall {
  readonly messageId: string
  readonly timestamp?: unknown
}

export interface Rejection {
  readonly code: string
  readonly message: string
}

export interface LineRules {
  readonly fingerprint: Fingerprint
  /** For lines without a type. */
  readonly type: EventType | undefined
}

/** Checks only rules that the client library does not check. */
export function parseLine(line: Line, rules: LineRules): LineCall | Rejection {
  if (line.isCut) return rejection('message_too_large')
  if (!isUtf8(line.bytes)) return rejection('invalid_json', 'The line is not valid UTF-8.')
  const text = textOf(line)
  try {
    const value = JSON.parse(text) as Json
    const code = errorOfValue(value, text)
    return code ? rejection(code) : callOf(exactly(value, text), line, rules)
  } catch (error) {
    if (hasNonFinite(text)) return rejection('number_not_finite')
    return rejection('invalid_json', `The line is not JSON: ${(error as Error).message}.`)
  }
}

export function isRejection(parsed: LineCall | Rejection): parsed is Rejection {
  return !('type' in parsed)
}

/** The text of the line, without a CR at its end and without a byte order mark at the start of the file. */
export function textOf({ bytes, number }: Line): string {
  const text = bytes.toString('utf8').replace(/\r$/, '')
  return number === 1 ? text.replace(/^\ufeff/, '') : text
}

function callOf(value: unknown, line: Line, rules: LineRules): LineCall | Rejection {
  if (!isJsonObject(value)) return rejection('not_an_object')
  const { type = rules.type, originalTimestamp, ...fields } = value
  if (!isEventType(type)) return rejection('unknown_type')
  const messageId = nonEmpty(fields['messageId']) ?? idOf(line, rules.fingerprint)
  if (typeof messageId !== 'string' && typeof messageId !== 'number') {
    return rejection('id_not_string')
  }
  const call = { ...fields, type, messageId: String(messageId) }
  // Exports from other services use either name for the time of the event.
  const timestamp = nonEmpty(fields['timestamp']) ?? nonEmpty(originalTimestamp)
  if (timestamp === undefined) return call
  // The service would replace it with the current time.
  if (parseTimestamp(timestamp) === undefined) return rejection('timestamp_invalid')
  return { ...call, timestamp }
}

/** The messageId of a line: the same in every import of the file, so that the service recognises a call that is sent again. */
function idOf(line: Line, { bytes, startSha256 }: Fingerprint): string {
  const hash = createHash('sha256')
  hash.update(`${startSha256} ${bytes} ${line.number} ${textOf(line)}`)
  return `import-${hash.digest('hex').slice(0, 40)}`
}

function isEventType(type: unknown): type is EventType {
  return (EVENT_TYPES as readonly unknown[]).includes(type)
}

function nonEmpty(value: unknown): unknown {
  return value === null || value === '' ? undefined : value
}

function rejection(code: IngestCodeName, message: string = INGEST_CODES[code].message): Rejection {
  return { code, message }
}

function errorOfValue(value: Json, text: string): IngestCodeName | undefined {
  if (isDeeperThan(value, LIMITS.nestingLevels)) return 'nested_too_deep'
  const isInexact = hasNumericId(value) && callsWithInexactIds(text, { isBatch: false }).has(0)
  if (isInexact) return 'id_not_exact'
  return containsNumber(value, (number) => !Number.isFinite(number))
    ? 'number_not_finite'
    : undefined
}

/** Whether the text is JSON except for `NaN` and `Infinity`. */
function hasNonFinite(text: string): boolean {
  try {
    const finite = withoutNonFinite(text)
    if (finite !== undefined) JSON.parse(finite)
    return finite !== undefined
  } catch {
    return false
  }
}

/** Missing from the compiler's types. */
const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => unknown }

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown

/** Keeps the original digits of numbers that JavaScript rounds. */
function exactly(value: Json, text: string): unknown {
  if (roundedNumbers(text).values.size === 0) return value
  const reviver: Reviver = (_key, each, { source = '' }) =>
    typeof each === 'number' && isRounded(source) ? rawJSON(source) : each
  return JSON.parse(text, reviver as Parameters<typeof JSON.parse>[1])
}
