import type { IngestCodeName } from '../codes.ts'
import { type Event, EVENT_TYPES, type EventType } from '../event.ts'

/** A field of a call that has a fixed type. The ingestion API validates calls by this table. */
export interface CallField {
  /** `id`: a string, or a number that is not rounded, which becomes a string. */
  readonly kind: 'id' | 'text' | 'object'
  /** The code for a call whose value has another type. */
  readonly code: IngestCodeName
  /** Whether `""` counts as absent. `null` always does. */
  readonly emptyIsAbsent?: true
  /** The types of calls that use it. Other calls may have it, too: it is stored with them. */
  readonly usedBy: readonly EventType[]
  /** The types of calls that require it, with the code for a call without it. */
  readonly required?: { readonly by: readonly EventType[]; readonly code: IngestCodeName }
  /** For pages: sentences about it. */
  readonly meaning: string
}

/** The names of the fields that have a fixed type. */
export type CallFieldName = Exclude<
  keyof Event,
  'type' | 'timestamp' | 'originalTimestamp' | 'sentAt' | 'receivedAt'
>

const id = { kind: 'id', code: 'id_not_string', emptyIsAbsent: true } as const
const PEOPLE = ['identify', 'track', 'page', 'screen', 'group'] as const

/** The fields of a call that have a fixed type, in the order in which they are validated. */
export const CALL_FIELDS: Readonly<Record<CallFieldName, CallField>> = {
  messageId: {
    ...id,
    usedBy: EVENT_TYPES,
    meaning:
      'Names the call. A second call with the same messageId is a duplicate. Without one, the server makes one, and a repeated request is delivered twice.',
  },
  userId: {
    ...id,
    usedBy: EVENT_TYPES,
    required: { by: ['alias'], code: 'id_required' },
    meaning: 'The id of the user in your systems. In an alias call: the id from now on.',
  },
  anonymousId: {
    ...id,
    usedBy: PEOPLE,
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
    meaning: 'The id that the user had before.',
  },
  event: {
    kind: 'text',
    code: 'event_not_string',
    emptyIsAbsent: true,
    usedBy: ['track'],
    required: { by: ['track'], code: 'event_not_defined' },
    meaning: 'The name of what the user did.',
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
    meaning: 'Free fields about what happened. Of a page: path, referrer, title and url, usually.',
  },
  traits: {
    kind: 'object',
    code: 'traits_not_object',
    usedBy: ['identify', 'group'],
    meaning:
      'Free fields about the user, or in a group call about the group. The traits of a page call without properties become its properties. An identify call without traits gets those of its context.',
  },
  context: {
    kind: 'object',
    code: 'context_not_object',
    usedBy: EVENT_TYPES,
    meaning: 'Free fields about the circumstances: device, address, library.',
  },
  integrations: {
    kind: 'object',
    code: 'integrations_not_object',
    usedBy: EVENT_TYPES,
    meaning: 'Which destinations may receive the call.',
  },
}

/** The fields that are ids. */
export const ID_FIELDS = [
  'messageId',
  'userId',
  'anonymousId',
  'groupId',
  'previousId',
] as const satisfies readonly CallFieldName[]

/** The other fields that the ingestion API reads, or never keeps. All further fields are stored with the call as they are. */
export const OTHER_CALL_FIELDS = {
  type: 'The type of the call. Required in a batch. At `/v1/track` and the like, the path gives it, and the field is ignored.',
  timestamp: 'When it happened. See timestamps.',
  originalTimestamp: 'Read as `timestamp` where that is absent.',
  sentAt: "When the client sent the request, by the client's clock. That of a batch wins.",
  receivedAt: 'Ignored: the server sets it.',
  writeKey: 'The write key, where no header and no query has it. It is not stored.',
  _metadata: 'Ignored, and not stored.',
} as const
