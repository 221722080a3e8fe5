import type { IngestCodeName } from '../codes.ts'
import { type Event, EVENT_TYPES, type EventType } from '../event.ts'
import { TRACE_FIELD } from '../payload.ts'

/** A field of a call that has a fixed type. The ingestion API validates calls against `CALL_FIELDS`. */
export interface CallField {
  /** `id`: a string, or an exact number, which is converted to a string. */
  readonly kind: 'id' | 'text' | 'object'
  /** The code for a call whose value has another type. */
  readonly code: IngestCodeName
  /** Whether `""` counts as absent. `null` always does. */
  readonly emptyIsAbsent?: true
  /** The types of calls that use it. Other calls may have it: it is stored with them. */
  readonly usedBy: readonly EventType[]
  /** The types of calls that require it, with the code for a call without it. */
  readonly required?: { readonly by: readonly EventType[]; readonly code: IngestCodeName }
  /** Description for the docs. */
  readonly meaning: string
}

/** The names of the fields that have a fixed type. */
export type CallFieldName = Exclude<
  keyof Event,
  'type' | 'timestamp' | 'originalTimestamp' | 'sentAt' | 'receivedAt'
>

const id = { kind: 'id', code: 'id_not_string', emptyIsAbsent: true } as const
const USER_CALLS = ['identify', 'track', 'page', 'screen', 'group'] as const

/** The fields of a call that have a fixed type, in the order in which they are validated. */
export const CALL_FIELDS: Readonly<Record<CallFieldName, CallField>> = {
  messageId: {
    ...id,
    usedBy: EVENT_TYPES,
    meaning:
      'Identifies the call: a second call with the same messageId is a duplicate. If absent, the server generates one, so a repeated request is delivered twice.',
  },
  userId: {
    ...id,
    usedBy: EVENT_TYPES,
    required: { by: ['alias'], code: 'id_required' },
    meaning: 'The id of the user in your systems. In an alias call, the new id.',
  },
  anonymousId: {
    ...id,
    usedBy: USER_CALLS,
    meaning: 'The id of a visitor whose userId you do not know, for example from a cookie.',
  },
  groupId: {
    ...id,
    usedBy: ['group'],
    required: { by: ['group'], code: 'id_required' },
    meaning: 'The id of the company, team or other group that the user belongs to.',
  },
  previousId: {
    ...id,
    usedBy: ['alias'],
    required: { by: ['alias'], code: 'id_required' },
    meaning: 'The previous id of the user.',
  },
  event: {
    kind: 'text',
    code: 'event_not_string',
    emptyIsAbsent: true,
    usedBy: ['track'],
    required: { by: ['track'], code: 'event_not_defined' },
    meaning: 'The name of the action, such as Order Completed.',
  },
  name: {
    kind: 'text',
    code: 'name_not_string',
    usedBy: ['page', 'screen'],
    meaning: 'The name of the page or the screen.',
  },
  category: {
    kind: 'text',
    code: 'category_not_string',
    usedBy: ['page', 'screen'],
    meaning: 'The category of the page or the screen.',
  },
  properties: {
    kind: 'object',
    code: 'properties_not_object',
    usedBy: ['track', 'page', 'screen'],
    meaning:
      'Free-form fields about what happened. For a page, usually path, referrer, title and url.',
  },
  traits: {
    kind: 'object',
    code: 'traits_not_object',
    usedBy: ['identify', 'group'],
    meaning:
      'Free-form fields about the user or, in a group call, about the group. The traits of a page call without properties become its properties. An identify call without traits takes the traits in its context.',
  },
  context: {
    kind: 'object',
    code: 'context_not_object',
    usedBy: EVENT_TYPES,
    meaning:
      'Free-form fields about the context of the call, such as device, IP address and library.',
  },
  integrations: {
    kind: 'object',
    code: 'integrations_not_object',
    usedBy: EVENT_TYPES,
    meaning: 'Which destinations may receive the call.',
  },
}

export const ID_FIELDS = [
  'messageId',
  'userId',
  'anonymousId',
  'groupId',
  'previousId',
] as const satisfies readonly CallFieldName[]

/** Other fields that the ingestion API reads or discards. All further fields are stored unchanged with the call. */
export const OTHER_CALL_FIELDS = {
  type: 'The type of the call. Required in a batch. At `/v1/track` and similar paths, the path determines it and the field is ignored.',
  timestamp: 'When the event happened. See Timestamps.',
  originalTimestamp: 'Used if `timestamp` is absent.',
  sentAt:
    "When the client sent the request, by the client's clock. The `sentAt` of a batch takes precedence.",
  receivedAt: 'Ignored: the server sets it.',
  writeKey: 'The write key, if not in a header or the query. Not stored.',
  _metadata: 'Ignored, and not stored.',
  [TRACE_FIELD]: 'Ignored, and not stored.',
} as const
