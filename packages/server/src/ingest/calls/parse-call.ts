import {
  type Event,
  EVENT_TYPES,
  type EventType,
  type IngestCodeName,
  isDeeperThan,
  isJsonObject,
  type Json,
  type JsonObject,
  LIMITS,
} from '@hookline/protocol'
import { asObject } from './as-object.ts'
import { type CallFields, readFields, unknownMembers } from './call-fields.ts'
import type { SharedParts } from './parse-batch.ts'
import { isRefused, type Refused } from '../refused.ts'

/** The rules for the calls of one request. */
export interface CallRules {
  /** The type that the path names; absent for a batch, where each call names its type. */
  readonly type: EventType | undefined
  readonly shared: SharedParts
  /** Whether the body was UTF-8. If not, ids may have lost bytes. */
  readonly isUtf8: boolean
  readonly maxLevels: number
  /** The most bytes of a call as JSON; absent where no call can be larger. */
  readonly maxBytes: number | undefined
}

/** A call that has all fields that its type requires. `stamp` makes an event of it. */
export interface ParsedCall {
  readonly fields: Omit<Event, 'messageId' | 'timestamp' | 'receivedAt'> & {
    readonly messageId?: string
  }
  /** When the call happened and when it was sent: as the call has them, not parsed. */
  readonly timestamp: Json | undefined
  readonly sentAt: Json | undefined
  /** The keys that Hookline does not know, as members of a JSON object. */
  readonly unknown: string
}

/**
 * How many times as long as the JSON that JavaScript reads the JSON that it writes can be, at most: the 4 bytes of 1e20
 * become 21 digits.
 */
const MOST_GROWTH = 6

/** Whether a call of this request may exceed `maxBytes` as it is stored. */
export function mayBeTooLarge(requestBytes: number, { bytes }: SharedParts, maxBytes: number) {
  return MOST_GROWTH * requestBytes + bytes > maxBytes
}

const TYPES: ReadonlySet<unknown> = new Set(EVENT_TYPES)
const NO_CONTEXT: JsonObject = {}

/** Parses one call, as client libraries send it (spec 01, §What is read, §What is required). Pure. */
export function parseCall(call: Json, rules: CallRules): ParsedCall | Refused {
  if (!isJsonObject(call)) return { refused: 'not_an_object' }
  // The depth is checked first, because measuring a value that is nested too deep would overflow the stack.
  if (isDeeperThan(call, rules.maxLevels)) return { refused: 'nested_too_deep' }
  const type = rules.type ?? call['type']
  if (!isEventType(type)) return { refused: 'unknown_type' }
  const fields = readFields(call, rules.isUtf8)
  if (isRefused(fields)) return fields
  addShared(fields, rules.shared)
  if (isTooLarge(call, fields, rules)) return { refused: 'message_too_large' }
  const fault = faultOf(type, fields)
  if (fault !== undefined) return { refused: fault }
  placeTraits(type, fields)
  fields.context ??= NO_CONTEXT
  return {
    fields: Object.assign(fields, { type, context: fields.context }),
    unknown: unknownMembers(call),
    timestamp: present(call['timestamp']) ?? present(call['originalTimestamp']),
    sentAt: call['sentAt'],
  }
}

function isEventType(type: unknown): type is EventType {
  return TYPES.has(type)
}

/**
 * Measures the call as it is stored, without the fields that the server adds. It measures what differs from the call as it
 * was sent: to copy a call of thousands of keys takes many times as long as to serialise it.
 */
function isTooLarge(call: JsonObject, fields: CallFields, { maxBytes }: CallRules): boolean {
  if (maxBytes === undefined) return false
  let bytes = Buffer.byteLength(JSON.stringify(call))
  for (const name of ['context', 'integrations'] as const)
    if (fields[name] !== undefined && fields[name] !== call[name])
      bytes += memberBytes(name, fields[name]) - memberBytes(name, call[name])
  for (const name of ['writeKey', '_metadata']) bytes -= memberBytes(name, call[name])
  return bytes > maxBytes
}

/** The bytes that a member takes of the JSON of an object, with its comma. */
function memberBytes(name: string, value: Json | undefined): number {
  return value === undefined ? 0 : Buffer.byteLength(`"${name}":${JSON.stringify(value)},`)
}

/** The code for what the type requires and the call does not have. */
function faultOf(type: EventType, fields: CallFields): IngestCodeName | undefined {
  const { messageId, userId, anonymousId, groupId, previousId, event } = fields
  if (messageId !== undefined && messageId.length > LIMITS.messageIdCharacters) {
    return 'message_id_too_long'
  }
  if (type === 'alias') return userId && previousId ? undefined : 'id_required'
  if (!userId && !anonymousId) return 'no_user_anon_id'
  if (type === 'track' && !event) return 'event_not_defined'
  if (type === 'group' && !groupId) return 'id_required'
  return undefined
}

/** Puts the traits where the type has them: some libraries send them elsewhere. */
function placeTraits(type: EventType, fields: CallFields): void {
  if (type === 'page') takeTraitsAsProperties(fields)
  if (type === 'identify') takeTraitsOfContext(fields)
}

/** The Go library sends the properties of a page as traits. */
function takeTraitsAsProperties(fields: CallFields): void {
  if (fields.properties !== undefined || fields.traits === undefined) return
  fields.properties = fields.traits
  delete fields.traits
}

/** The libraries of RudderStack send the traits of a user in the context, and nowhere else. */
function takeTraitsOfContext(fields: CallFields): void {
  const traits = asObject(fields.context?.['traits'])
  if (fields.traits === undefined && traits !== undefined) fields.traits = traits
}

function addShared(fields: CallFields, shared: SharedParts): void {
  if (shared.context) fields.context = { ...shared.context, ...fields.context }
  if (shared.integrations) fields.integrations = { ...shared.integrations, ...fields.integrations }
}

function present(value: Json | undefined): Json | undefined {
  return value === null || value === '' ? undefined : value
}
