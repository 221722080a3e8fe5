import {
  type EventType,
  formatTimestamp,
  type JsonObject,
  parseTimestamp,
  parseTimeSpan,
} from '@hookline/protocol'
import { VERSION } from '@hookline/server/version'
import { randomUUID } from 'node:crypto'
import { Failure } from '../failure.ts'

export interface CallOptions {
  readonly user?: string
  readonly anonymous?: string
  readonly property?: JsonObject
  readonly trait?: JsonObject
  readonly group?: string
  readonly previous?: string
  readonly timestamp?: string
}

export interface Call {
  readonly type: EventType
  readonly messageId: string
  readonly [field: string]: unknown
}

/** The fields that only some types have. */
interface TypeFields {
  readonly allows: readonly TypeField[]
  readonly requires?: readonly (TypeField | 'user')[]
}

type TypeField = 'name' | 'property' | 'trait' | 'group' | 'previous'

const TYPE_FIELDS: Readonly<Record<EventType, TypeFields>> = {
  identify: { allows: ['trait'] },
  track: { allows: ['name', 'property'], requires: ['name'] },
  page: { allows: ['name', 'property'] },
  screen: { allows: ['name', 'property'] },
  group: { allows: ['group', 'trait'], requires: ['group'] },
  alias: { allows: ['previous'], requires: ['user', 'previous'] },
}

const FIELD_NAMES: Readonly<Record<TypeField | 'user', string>> = {
  name: 'a name',
  property: '--property',
  trait: '--trait',
  group: '--group',
  previous: '--previous',
  user: '--user',
}

/** @throws {Failure} `usage`, with all errors at once */
export function callFrom(type: EventType, name: string | undefined, options: CallOptions): Call {
  const errors = errorsOf(type, { ...options, name })
  if (errors.length > 0) {
    const hint = 'Run the command with --help for its arguments and options.'
    throw new Failure('usage', errors.join('\n       '), { hint })
  }
  return {
    type,
    messageId: randomUUID(),
    userId: options.user,
    anonymousId: options.anonymous,
    [type === 'track' ? 'event' : 'name']: name,
    properties: options.property,
    traits: options.trait,
    groupId: options.group,
    previousId: options.previous,
    timestamp: timeOf(options),
    context: { app: { name: 'hookline', version: VERSION } },
  }
}

function errorsOf(type: EventType, options: CallOptions & { name: string | undefined }): string[] {
  const { allows, requires = [] } = TYPE_FIELDS[type]
  const typeFields = ['name', 'property', 'trait', 'group', 'previous'] as const
  const errors = [
    ...typeFields
      .filter((field) => options[field] !== undefined && !allows.includes(field))
      .map((field) => `${type} does not accept ${FIELD_NAMES[field]}.`),
    ...requires
      .filter((field) => !options[field])
      .map((field) => `${type} requires ${FIELD_NAMES[field]}.`),
  ]
  if (type !== 'alias' && !options.user && !options.anonymous) {
    errors.push(`${type} requires --user or --anonymous.`)
  }
  if (options.timestamp !== undefined && timeOf(options) === undefined) {
    errors.push(
      '--timestamp must be ISO 8601, like 2026-11-21T09:30:00.000Z, or a duration before now, like 1h.',
    )
  }
  return errors
}

/** ISO 8601 is kept as written. */
function timeOf({ timestamp = '' }: CallOptions): string | undefined {
  if (parseTimestamp(timestamp) !== undefined) return timestamp
  const span = parseTimeSpan(timestamp)
  return span === undefined ? undefined : formatTimestamp(Math.max(0, Date.now() - span))
}
