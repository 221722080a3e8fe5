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

/** A call for the client library. */
export interface Call {
  readonly type: EventType
  readonly messageId: string
  readonly [field: string]: unknown
}

/** The fields that not every type has: which ones a type takes, and which ones it requires. */
interface TypeFields {
  readonly takes: readonly TypeField[]
  readonly needs?: readonly (TypeField | 'user')[]
}

type TypeField = 'name' | 'property' | 'trait' | 'group' | 'previous'

const TYPE_FIELDS: Readonly<Record<EventType, TypeFields>> = {
  identify: { takes: ['trait'] },
  track: { takes: ['name', 'property'], needs: ['name'] },
  page: { takes: ['name', 'property'] },
  screen: { takes: ['name', 'property'] },
  group: { takes: ['group', 'trait'], needs: ['group'] },
  alias: { takes: ['previous'], needs: ['user', 'previous'] },
}

const FIELD_NAMES: Readonly<Record<TypeField | 'user', string>> = {
  name: 'a name',
  property: '--property',
  trait: '--trait',
  group: '--group',
  previous: '--previous',
  user: '--user',
}

/** The call that the command line describes. @throws {Failure} `usage`, with all faults at once */
export function callFrom(type: EventType, name: string | undefined, options: CallOptions): Call {
  const faults = faultsOf(type, { ...options, name })
  if (faults.length > 0) {
    const hint = 'Add --help to see arguments and options.'
    throw new Failure('usage', faults.join('\n       '), { hint })
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

function faultsOf(type: EventType, options: CallOptions & { name: string | undefined }): string[] {
  const { takes, needs = [] } = TYPE_FIELDS[type]
  const typeFields = ['name', 'property', 'trait', 'group', 'previous'] as const
  const faults = [
    ...typeFields
      .filter((field) => options[field] !== undefined && !takes.includes(field))
      .map((field) => `${type} does not take ${FIELD_NAMES[field]}.`),
    ...needs
      .filter((field) => !options[field])
      .map((field) => `${type} needs ${FIELD_NAMES[field]}.`),
  ]
  if (type !== 'alias' && !options.user && !options.anonymous) {
    faults.push(`${type} needs --user or --anonymous.`)
  }
  if (options.timestamp !== undefined && timeOf(options) === undefined) {
    faults.push(
      '--timestamp is not a time: give ISO 8601, like 2026-11-21T09:30:00.000Z, or how long ago, like 1h.',
    )
  }
  return faults
}

/** A time in ISO 8601 stays as it was written. */
function timeOf({ timestamp = '' }: CallOptions): string | undefined {
  if (parseTimestamp(timestamp) !== undefined) return timestamp
  const span = parseTimeSpan(timestamp)
  return span === undefined ? undefined : formatTimestamp(Math.max(0, Date.now() - span))
}
