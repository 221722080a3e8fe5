import {
  type Event,
  type IngestCodeName,
  isJsonObject,
  type Json,
  type JsonObject,
} from '@hookline/protocol'
import type { Refused } from './refused.ts'

/** The fields of a call that have a form, in that form; absent where the call gave none. */
export type CallFields = {
  -readonly [K in Exclude<keyof Event, 'type' | TimeName>]?: Event[K]
}

type TimeName = 'timestamp' | 'originalTimestamp' | 'sentAt' | 'receivedAt'

interface Field {
  readonly name: keyof CallFields
  /** The value the field takes for what was given, or `undefined` where it takes none. */
  readonly read: (given: Json) => Json | undefined
  /** What a call is refused with where the field takes no value. */
  readonly code: IngestCodeName
  /** Whether `""` counts as absent, as `null` always does. */
  readonly emptyIsAbsent?: true
}

const asText = (given: Json) => (typeof given === 'string' ? given : undefined)
const asObject = (given: Json) => (isJsonObject(given) ? given : undefined)
const asId = (given: Json) =>
  typeof given === 'number' && Number.isFinite(given) ? String(given) : asText(given)

const id = { read: asId, code: 'id_not_string', emptyIsAbsent: true } as const

const FIELDS: readonly Field[] = [
  { name: 'messageId', ...id },
  { name: 'userId', ...id },
  { name: 'anonymousId', ...id },
  { name: 'groupId', ...id },
  { name: 'previousId', ...id },
  { name: 'event', read: asText, code: 'event_not_string', emptyIsAbsent: true },
  { name: 'name', read: asText, code: 'name_not_string' },
  { name: 'category', read: asText, code: 'category_not_string' },
  { name: 'properties', read: asObject, code: 'properties_not_object' },
  { name: 'traits', read: asObject, code: 'traits_not_object' },
  { name: 'context', read: asObject, code: 'context_not_object' },
  { name: 'integrations', read: asObject, code: 'integrations_not_object' },
]

/** Keys that do not pass into an event as they are: read elsewhere, or never kept. */
const TAKEN = new Set<string>([
  ...FIELDS.map(({ name }) => name),
  ...(['type', 'timestamp', 'originalTimestamp', 'sentAt', 'receivedAt'] as const),
  'writeKey',
  '_metadata',
])

/** Reads every field that has a form, or refuses the call with the first that is not in it. */
export function readFields(call: JsonObject): CallFields | Refused {
  const fields: Record<string, Json> = {}
  for (const { name, read, code, emptyIsAbsent } of FIELDS) {
    const given = call[name]
    if (given === undefined || given === null || (given === '' && emptyIsAbsent)) continue
    const value = read(given)
    if (value === undefined) return { refused: code }
    fields[name] = value
  }
  return fields
}

/** The keys of a call that mean nothing to Hookline. They are kept, `__proto__` as a key like any other. */
export function unknownKeys(call: JsonObject): JsonObject | undefined {
  let entries: [string, Json | undefined][] | undefined
  for (const key of Object.keys(call)) {
    if (!TAKEN.has(key)) (entries ??= []).push([key, call[key]])
  }
  return entries && Object.fromEntries(entries)
}
