import {
  CALL_FIELDS,
  type CallField,
  type Event,
  EVENT_TYPES,
  type EventType,
  type Fields,
  idErrorCode,
  type IngestCodeName,
  isDeeperThan,
  isJsonObject,
  isUnsafeInteger,
  type Json,
  type JsonObject,
  LIMITS,
  OTHER_CALL_FIELDS,
} from '@hookline/protocol'
import type { Config } from '../../config.ts'
import { shapedCall } from '../../routing/body.ts'
import { isRefused, type IngestRefusal } from '../responses.ts'

/** The rules for the calls in one request. */
export interface CallRules {
  /** The type that the path names; absent for a batch, whose calls name their types. */
  readonly type: EventType | undefined
  readonly shared: SharedParts
  /** The field rules of the source, as in `Source`. Already applied to `shared`. */
  readonly fields?: Fields | undefined
  /** Whether the body was UTF-8. If not, ids may have lost bytes. */
  readonly isUtf8: boolean
  readonly maxLevels: number
  /** The maximum size of a call in bytes of JSON; absent if no call can exceed it. */
  readonly maxBytes: number | undefined
}

/** A call with all required fields. `stamp` turns it into an event. */
export interface ParsedCall {
  readonly fields: Omit<Event, 'messageId' | 'timestamp' | 'receivedAt'> & {
    readonly messageId?: string
  }
  /** Not parsed. */
  readonly timestamp: Json | undefined
  readonly sentAt: Json | undefined
  /** The unknown keys, as members of a JSON object. */
  readonly unknown: string
}

/** Maximum growth factor of JSON that JavaScript rewrites: the 4 bytes of 1e20 become 21 digits. */
const MAX_GROWTH = 6

/** Whether a call in this request may exceed `maxBytes` when stored. */
export function mayBeTooLarge(requestBytes: number, { bytes }: SharedParts, maxBytes: number) {
  return MAX_GROWTH * requestBytes + bytes > maxBytes
}

const TYPES: ReadonlySet<unknown> = new Set(EVENT_TYPES)
const NO_CONTEXT: JsonObject = {}

/** Parses one call, as client libraries send it. Pure. */
export function parseCall(call: Json, rules: CallRules): ParsedCall | IngestRefusal {
  if (!isJsonObject(call)) return { refused: 'not_an_object' }
  // The depth is checked first, because measuring a value that is nested too deeply would overflow the stack.
  if (isDeeperThan(call, rules.maxLevels)) return { refused: 'nested_too_deep' }
  const type = rules.type ?? call['type']
  if (!isEventType(type)) return { refused: 'unknown_type' }
  // Applied first, because the traits of some calls become properties or are copied.
  const shaped = rules.fields === undefined ? call : shapedCall(call, rules.fields, type)
  const fields = readFields(shaped, rules.isUtf8)
  if (isRefused(fields)) return fields
  addShared(fields, rules.shared)
  if (isTooLarge(shaped, fields, rules)) return { refused: 'message_too_large' }
  const code = fieldErrorCode(type, fields)
  if (code !== undefined) return { refused: code }
  placeTraits(type, fields, { hasProperties: isPresent(call['properties']) })
  fields.context ??= NO_CONTEXT
  return {
    fields: Object.assign(fields, { type, context: fields.context }),
    unknown: unknownMembers(shaped),
    timestamp: present(shaped['timestamp']) ?? present(shaped['originalTimestamp']),
    sentAt: shaped['sentAt'],
  }
}

function isEventType(type: unknown): type is EventType {
  return TYPES.has(type)
}

/** Measures the call as stored, from its size as sent: copying a call with thousands of keys would be slow. */
function isTooLarge(call: JsonObject, fields: CallFields, { maxBytes }: CallRules): boolean {
  if (maxBytes === undefined) return false
  let bytes = Buffer.byteLength(JSON.stringify(call))
  for (const name of ['context', 'integrations'] as const)
    if (fields[name] !== undefined && fields[name] !== call[name])
      bytes += memberBytes(name, fields[name]) - memberBytes(name, call[name])
  for (const name of ['writeKey', '_metadata']) bytes -= memberBytes(name, call[name])
  return bytes > maxBytes
}

/** The bytes of a member in the JSON of an object, with its comma. */
function memberBytes(name: string, value: Json | undefined): number {
  return value === undefined ? 0 : Buffer.byteLength(`"${name}":${JSON.stringify(value)},`)
}

/** The code for a missing field that the type requires, or for a `messageId` that is too long. */
function fieldErrorCode(type: EventType, fields: CallFields): IngestCodeName | undefined {
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

/** @param sent whether the call had properties, which its source may have dropped */
function placeTraits(
  type: EventType,
  fields: CallFields,
  sent: { readonly hasProperties: boolean },
): void {
  if (type === 'page' && !sent.hasProperties) takeTraitsAsProperties(fields)
  if (type === 'identify') takeTraitsOfContext(fields)
}

/** The Go library sends the properties of a page as traits. */
function takeTraitsAsProperties(fields: CallFields): void {
  if (fields.properties !== undefined || fields.traits === undefined) return
  fields.properties = fields.traits
  delete fields.traits
}

/** RudderStack's libraries send the traits of a user only in the context. */
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

/** The fields that have a fixed type; absent if the call does not have them. */
type CallFields = {
  -readonly [K in Exclude<keyof Event, 'type' | TimeName>]?: Event[K]
}

type TimeName = 'timestamp' | 'originalTimestamp' | 'sentAt' | 'receivedAt'

interface Field {
  readonly name: string
  /** Converts a value to the type of the field; `undefined` if that is not possible. */
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

/** Keys that are not copied into an event unchanged: other code reads them, or they are never stored. */
const KNOWN = new Set(Object.keys({ ...CALL_FIELDS, ...OTHER_CALL_FIELDS }))

/** Reads all fields that have a fixed type. Refuses the call at the first invalid value. @param isUtf8 whether the body was UTF-8 */
function readFields(call: JsonObject, isUtf8: boolean): CallFields | IngestRefusal {
  const fields: Record<string, Json> = {}
  for (const { name, read, code, emptyIsAbsent, isId } of FIELDS) {
    const raw = call[name]
    if (raw === undefined || raw === null || (raw === '' && emptyIsAbsent)) continue
    if (isId && typeof raw === 'number' && isUnsafeInteger(raw)) {
      return { refused: 'id_not_exact' }
    }
    const value = read(raw)
    if (value === undefined) return { refused: code }
    const idError = isId ? idErrorCode(value as string, isUtf8) : undefined
    if (idError !== undefined) return { refused: idError }
    fields[name] = value
  }
  return fields
}

/** The unknown members in a call as JSON, including `__proto__`. Building an object with thousands of keys would be slow. */
function unknownMembers(call: JsonObject): string {
  let members = ''
  for (const name of Object.keys(call))
    if (!KNOWN.has(name))
      members += `${members && ','}${JSON.stringify(name)}:${JSON.stringify(call[name])}`
  return members
}

/** The shared parts of a batch. A call's own keys take precedence. */
export interface SharedParts {
  readonly context?: JsonObject
  readonly integrations?: JsonObject
  /** The size of both as JSON: the maximum that they add to each call. */
  readonly bytes: number
}

/** The calls in one request. A single call is a batch of one. */
export interface Batch {
  readonly calls: readonly Json[]
  readonly shared: SharedParts
  readonly sentAt: Json | undefined
}

type Limits = Pick<Config, 'maxBatchExpansionBytes' | 'maxBatchMessages' | 'maxNestingLevels'>

const NOTHING_SHARED: SharedParts = { bytes: 0 }

const NO_CALLS: Batch = { calls: [], shared: NOTHING_SHARED, sentAt: undefined }

/** A batch with a single call: the whole body. */
export function singleCallBatch(call: Json): Batch {
  return { calls: [call], shared: NOTHING_SHARED, sentAt: undefined }
}

/** Parses a batch, but not its calls. Pure. */
export function parseBatch(body: Json, limits: Limits): Batch | IngestRefusal {
  if (!isJsonObject(body)) return { refused: 'not_an_object' }
  // A Go client with an empty queue sends this when it closes.
  if (body['batch'] === null) return NO_CALLS
  const calls = body['batch'] ?? []
  if (!Array.isArray(calls)) return { refused: 'not_an_object' }
  if (calls.length === 0) return { refused: 'empty_batch' }
  if (calls.length > limits.maxBatchMessages) return { refused: 'too_many_messages' }
  const shared = parseShared(body, limits.maxNestingLevels)
  if (isRefused(shared)) return shared
  if (isExpandedTooMuch(calls.length, shared, limits)) return { refused: 'batch_too_large' }
  return { calls, shared, sentAt: body['sentAt'] }
}

/** Whether the parts that all calls share make a batch too large: 2,500 empty calls that share 30 KB of context would become 75 MB. */
export function isExpandedTooMuch(
  calls: number,
  { bytes }: SharedParts,
  { maxBatchExpansionBytes }: Pick<Limits, 'maxBatchExpansionBytes'>,
): boolean {
  return bytes * calls > maxBatchExpansionBytes
}

function parseShared(body: JsonObject, maxLevels: number): SharedParts | IngestRefusal {
  const context = asObject(body['context'])
  const integrations = asObject(body['integrations'])
  if (context === undefined && isPresent(body['context'])) return { refused: 'context_not_object' }
  if (integrations === undefined && isPresent(body['integrations'])) {
    return { refused: 'integrations_not_object' }
  }
  if (context === undefined && integrations === undefined) return NOTHING_SHARED
  const parts = { ...(context && { context }), ...(integrations && { integrations }) }
  // Checked first, because JSON.stringify would overflow the stack on a value that is nested too deeply.
  if (isDeeperThan(parts, maxLevels)) return { refused: 'nested_too_deep' }
  return { ...parts, bytes: Buffer.byteLength(JSON.stringify(parts)) }
}

/** Applies the field rules to the shared parts, as to a call. Hashes may make them longer. */
export function shapedSharedParts({ bytes, ...parts }: SharedParts, fields: Fields): SharedParts {
  if (bytes === 0) return NOTHING_SHARED
  const shaped = shapedCall(parts, fields)
  return { ...shaped, bytes: Buffer.byteLength(JSON.stringify(shaped)) }
}

function isPresent(value: Json | undefined): boolean {
  return value !== undefined && value !== null
}

/** The value as an object, or `undefined`. PHP sends an empty object as an empty array. */
function asObject(value: Json | undefined): JsonObject | undefined {
  if (isJsonObject(value)) return value
  return Array.isArray(value) && value.length === 0 ? {} : undefined
}
