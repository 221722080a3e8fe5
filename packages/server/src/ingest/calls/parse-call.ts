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
import { type CallFields, readFields, unknownKeys } from './call-fields.ts'
import type { SharedParts } from './parse-batch.ts'
import { isRefused, type Refused } from './refused.ts'

/** What a call is held to, the same for all calls of a request. */
export interface CallRules {
  /** What the path says; absent in a batch, where each call says its own. */
  readonly type: EventType | undefined
  readonly shared: SharedParts
  readonly maxLevels: number
  /** Most bytes of the call's JSON; absent where the whole request has no more. */
  readonly maxBytes: number | undefined
}

/** A call that has what its type requires. It is an event once it is stamped. */
export interface ParsedCall {
  readonly fields: Omit<Event, 'messageId' | 'timestamp' | 'receivedAt'> & {
    readonly messageId?: string
  }
  /** When it happened and when it was sent, as the call says, unread. */
  readonly timestamp: Json | undefined
  readonly sentAt: Json | undefined
}

const TYPES: ReadonlySet<unknown> = new Set(EVENT_TYPES)
const NO_CONTEXT: JsonObject = {}

/** Reads one call as client libraries send it (spec 01, §What is read, §What is required). Pure. */
export function parseCall(call: Json, rules: CallRules): ParsedCall | Refused {
  if (!isJsonObject(call)) return { refused: 'not_an_object' }
  // Depth first: measuring what is nested far too deep would overflow the stack.
  if (isDeeperThan(call, rules.maxLevels)) return { refused: 'nested_too_deep' }
  if (isTooLarge(call, rules)) return { refused: 'message_too_large' }
  const type = rules.type ?? call['type']
  if (!isEventType(type)) return { refused: 'unknown_type' }
  const fields = readFields(call)
  if (isRefused(fields)) return fields
  const fault = faultOf(type, fields)
  if (fault !== undefined) return { refused: fault }
  if (type === 'page') takeTraitsAsProperties(fields)
  addShared(fields, rules.shared)
  fields.context ??= NO_CONTEXT
  const unknown = unknownKeys(call)
  const known = Object.assign(fields, { type, context: fields.context })
  return {
    fields: unknown ? { ...unknown, ...known } : known,
    timestamp: given(call['timestamp']) ?? given(call['originalTimestamp']),
    sentAt: call['sentAt'],
  }
}

function isEventType(type: unknown): type is EventType {
  return TYPES.has(type)
}

function isTooLarge(call: JsonObject, { maxBytes, shared }: CallRules): boolean {
  if (maxBytes === undefined) return false
  return Buffer.byteLength(JSON.stringify(call)) + shared.bytes > maxBytes
}

/** What the type requires and the call has not. */
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

/** The Go library names a page's properties traits. */
function takeTraitsAsProperties(fields: CallFields): void {
  if (fields.properties !== undefined || fields.traits === undefined) return
  fields.properties = fields.traits
  delete fields.traits
}

function addShared(fields: CallFields, shared: SharedParts): void {
  if (shared.context) fields.context = { ...shared.context, ...fields.context }
  if (shared.integrations) fields.integrations = { ...shared.integrations, ...fields.integrations }
}

function given(value: Json | undefined): Json | undefined {
  return value === null || value === '' ? undefined : value
}
