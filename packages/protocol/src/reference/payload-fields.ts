import { EVENT_TYPES, type EventType } from '../event.ts'

/** The types of payloads that a receiver gets. */
export const PAYLOAD_TYPES = [...EVENT_TYPES, 'delete'] as const

export type PayloadType = (typeof PAYLOAD_TYPES)[number]

/** A field of the body of a delivery. */
export interface PayloadField {
  readonly type: 'string' | 'integer' | 'object'
  /** Whether it is always there. */
  readonly always: boolean
  /** For pages and the JSON Schema: sentences about it. */
  readonly meaning: string
}

const MESSAGE_ID: PayloadField = {
  type: 'string',
  always: true,
  meaning: 'The id that the client gave the call, else one that Hookline made.',
}
const ANONYMOUS_ID: PayloadField = {
  type: 'string',
  always: false,
  meaning: 'The id of a visitor. Absent where the call had none.',
}
const USER_ID: PayloadField = {
  type: 'string',
  always: false,
  meaning: 'The id of the user. Absent where the call had none: then there is anonymousId.',
}
const TRAITS: PayloadField = {
  type: 'object',
  always: true,
  meaning: 'Fields about the user, or in a group call about the group; {} where the call had none.',
}
const PROPERTIES: PayloadField = {
  type: 'object',
  always: true,
  meaning: 'Fields about what happened; {} where the call had none.',
}
const CONTEXT: PayloadField = {
  type: 'object',
  always: true,
  meaning:
    'Device, address, library and the like, as the client sent it; {} where it sent none. Of a change of an audience or a computed trait: which one.',
}
const TIMESTAMP: PayloadField = {
  type: 'string',
  always: true,
  meaning: 'When it happened: UTC, as YYYY-MM-DDTHH:mm:ss.sssZ.',
}
const NAME: PayloadField = {
  type: 'string',
  always: false,
  meaning: 'The name of the page or the screen. Absent where the call had none.',
}
const CATEGORY: PayloadField = {
  type: 'string',
  always: false,
  meaning: 'The category of the page or the screen. Absent where the call had none.',
}

const required = (meaning: string): PayloadField => ({ type: 'string', always: true, meaning })
const HEAD = { messageId: MESSAGE_ID }
const PERSON = { ...HEAD, anonymousId: ANONYMOUS_ID, userId: USER_ID }
const END = { context: CONTEXT, timestamp: TIMESTAMP }
const VISIT = { ...PERSON, name: NAME, category: CATEGORY, properties: PROPERTIES, ...END }

/** The fields of each type of payload besides `version` and `type`, in the order in which they are sent. */
export const PAYLOAD_FIELDS: Readonly<Record<PayloadType, Readonly<Record<string, PayloadField>>>> =
  {
    identify: { ...PERSON, traits: TRAITS, ...END },
    track: {
      ...PERSON,
      event: required('The name of what the user did.'),
      properties: PROPERTIES,
      ...END,
    },
    page: VISIT,
    screen: VISIT,
    group: { ...PERSON, groupId: required('The id of the group.'), traits: TRAITS, ...END },
    alias: {
      ...HEAD,
      'Previous ID': required('The id that the user had before. The key has a space.'),
      'User ID': required('The id of the user from now on. The key has a space.'),
      ...END,
    },
    delete: {
      userId: {
        type: 'string',
        always: false,
        meaning: 'The user that was deleted. Absent where the deletion names an anonymousId.',
      },
      anonymousId: {
        type: 'string',
        always: false,
        meaning: 'The visitor that was deleted. Absent where the deletion names a userId.',
      },
      timestamp: { ...TIMESTAMP, meaning: 'When the deletion was requested.' },
    },
  }

/** The types that have to name the user by `userId`, by `anonymousId`, or by both; a deletion notice by one of them. */
export function namesUser(type: PayloadType): type is Exclude<EventType, 'alias'> | 'delete' {
  return type !== 'alias'
}
