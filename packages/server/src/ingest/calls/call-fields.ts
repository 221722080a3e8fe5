import {
  CALL_FIELDS,
  type CallField,
  type Event,
  idFault,
  type IngestCodeName,
  isUnambiguous,
  type Json,
  type JsonObject,
  OTHER_CALL_FIELDS,
} from '@hookline/protocol'
import type { Refused } from '../refused.ts'
import { asObject } from './as-object.ts'

/** The fields of a call that have a fixed type, with values of that type. Absent where the call does not have them. */
export type CallFields = {
  -readonly [K in Exclude<keyof Event, 'type' | TimeName>]?: Event[K]
}

type TimeName = 'timestamp' | 'originalTimestamp' | 'sentAt' | 'receivedAt'

interface Field {
  readonly name: string
  /** Converts the value of the call to the type of the field; `undefined` where that is not possible. */
  readonly read: (value: Json) => Json | undefined
  readonly code: IngestCodeName
  readonly isId: boolean
  readonly emptyIsAbsent: boolean
}

const asText = (value: Json) => (typeof value === 'string' ? value : undefined)
const asId = (value: Json) => (typeof value === 'number' ? String(value) : asText(value))

const READ = { id: asId, text: asText, object: asObject }

const FIELDS: readonly Field[] = Object.entries<CallField>(CALL_FIELDS).map(([name, field]) => ({
  name,
  read: READ[field.kind],
  code: field.code,
  isId: field.kind === 'id',
  emptyIsAbsent: field.emptyIsAbsent === true,
}))

/** Keys that are not copied into an event unchanged: other code reads them, or they are never kept. */
const KNOWN = new Set(Object.keys({ ...CALL_FIELDS, ...OTHER_CALL_FIELDS }))

/**
 * Reads all fields with a fixed type. Refuses the call because of the first value of another type, or that is no id.
 * @param isUtf8 whether the body was UTF-8
 */
export function readFields(call: JsonObject, isUtf8: boolean): CallFields | Refused {
  const fields: Record<string, Json> = {}
  for (const { name, read, code, emptyIsAbsent, isId } of FIELDS) {
    const raw = call[name]
    if (raw === undefined || raw === null || (raw === '' && emptyIsAbsent)) continue
    if (isId && typeof raw === 'number' && !isUnambiguous(raw)) {
      return { refused: 'id_not_exact' }
    }
    const value = read(raw)
    if (value === undefined) return { refused: code }
    const fault = isId ? idFault(value as string, isUtf8) : undefined
    if (fault !== undefined) return { refused: fault }
    fields[name] = value
  }
  return fields
}

/**
 * The members of a call that Hookline does not know, as JSON. The event keeps them, also `__proto__`. Serialised at once: an
 * object with the thousands of keys of a hostile call takes a hundred times as long to make.
 */
export function unknownMembers(call: JsonObject): string {
  let members = ''
  for (const name of Object.keys(call))
    if (!KNOWN.has(name))
      members += `${members && ','}${JSON.stringify(name)}:${JSON.stringify(call[name])}`
  return members
}
