import {
  type Event,
  type IngestCodeName,
  isJsonObject,
  isUnambiguous,
  type Json,
  type JsonObject,
} from '@hookline/protocol'
import type { Refused } from '../refused.ts'

/** The fields of a call that have a fixed type, with values of that type. Absent where the call does not have them. */
export type CallFields = {
  -readonly [K in Exclude<keyof Event, 'type' | TimeName>]?: Event[K]
}

type TimeName = 'timestamp' | 'originalTimestamp' | 'sentAt' | 'receivedAt'

interface Field {
  readonly name: keyof CallFields
  /** Converts the value of the call to the type of the field; `undefined` where that is not possible. */
  readonly read: (value: Json) => Json | undefined
  /** The code for a call whose value cannot be converted. */
  readonly code: IngestCodeName
  /** Whether it is an id, so that the database must store every character of it. */
  readonly isId?: true
  /** Whether it identifies a user or a group, so that a number must not be rounded. */
  readonly mustBeExact?: true
  /** Whether `""` counts as absent. `null` always does. */
  readonly emptyIsAbsent?: true
}

const asText = (value: Json) => (typeof value === 'string' ? value : undefined)
const asObject = (value: Json) => (isJsonObject(value) ? value : undefined)
const asId = (value: Json) =>
  typeof value === 'number' && Number.isFinite(value) ? String(value) : asText(value)

const id = { read: asId, code: 'id_not_string', emptyIsAbsent: true, isId: true } as const
const exactId = { ...id, mustBeExact: true } as const

const FIELDS: readonly Field[] = [
  { name: 'messageId', ...id },
  { name: 'userId', ...exactId },
  { name: 'anonymousId', ...exactId },
  { name: 'groupId', ...exactId },
  { name: 'previousId', ...exactId },
  { name: 'event', read: asText, code: 'event_not_string', emptyIsAbsent: true },
  { name: 'name', read: asText, code: 'name_not_string' },
  { name: 'category', read: asText, code: 'category_not_string' },
  { name: 'properties', read: asObject, code: 'properties_not_object' },
  { name: 'traits', read: asObject, code: 'traits_not_object' },
  { name: 'context', read: asObject, code: 'context_not_object' },
  { name: 'integrations', read: asObject, code: 'integrations_not_object' },
]

/** Keys that are not copied into an event unchanged: other code reads them, or they are never kept. */
const KNOWN = new Set<string>([
  ...FIELDS.map(({ name }) => name),
  ...(['type', 'timestamp', 'originalTimestamp', 'sentAt', 'receivedAt'] as const),
  'writeKey',
  '_metadata',
])

/** Reads all fields with a fixed type. Refuses the call because of the first value of another type. */
export function readFields(call: JsonObject): CallFields | Refused {
  const fields: Record<string, Json> = {}
  for (const { name, read, code, emptyIsAbsent, isId, mustBeExact } of FIELDS) {
    const raw = call[name]
    if (raw === undefined || raw === null || (raw === '' && emptyIsAbsent)) continue
    if (mustBeExact && typeof raw === 'number' && !isUnambiguous(raw)) {
      return { refused: 'id_not_exact' }
    }
    const value = read(raw)
    if (value === undefined) return { refused: code }
    // UTF-8 has no half characters: the database would store another id, and two ids as the same.
    if (isId && !(value as string).isWellFormed()) return { refused: 'id_not_unicode' }
    fields[name] = value
  }
  return fields
}

/** The keys of a call that Hookline does not know. The event keeps them, also `__proto__`. */
export function unknownKeys(call: JsonObject): JsonObject | undefined {
  let entries: [string, Json | undefined][] | undefined
  for (const key of Object.keys(call)) {
    if (!KNOWN.has(key)) (entries ??= []).push([key, call[key]])
  }
  return entries && Object.fromEntries(entries)
}
