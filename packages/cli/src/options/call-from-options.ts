import { type EventType, type JsonObject, parseTimestamp } from '@hookline/protocol'
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

/** A call as the client library takes it. */
export interface Call {
  readonly type: EventType
  readonly messageId: string
  readonly [field: string]: unknown
}

/** What a call of a type may have beyond the fields of all; `needs` is what it cannot do without. */
interface Shape {
  readonly takes: readonly Special[]
  readonly needs?: readonly (Special | 'user')[]
}

type Special = 'name' | 'property' | 'trait' | 'group' | 'previous'

const SHAPES: Readonly<Record<EventType, Shape>> = {
  identify: { takes: ['trait'] },
  track: { takes: ['name', 'property'], needs: ['name'] },
  page: { takes: ['name', 'property'] },
  screen: { takes: ['name', 'property'] },
  group: { takes: ['group', 'trait'], needs: ['group'] },
  alias: { takes: ['previous'], needs: ['user', 'previous'] },
}

const WORDS: Readonly<Record<Special | 'user', string>> = {
  name: 'a name',
  property: '--property',
  trait: '--trait',
  group: '--group',
  previous: '--previous',
  user: '--user',
}

/** The call that the command line describes. @throws {Failure} `usage`, naming every fault at once */
export function callFrom(type: EventType, name: string | undefined, options: CallOptions): Call {
  const faults = faultsOf(type, { ...options, name })
  if (faults.length > 0) {
    const hint = 'Add --help to see what the command takes.'
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
    timestamp: options.timestamp,
    context: { app: { name: 'hookline', version: VERSION } },
  }
}

function faultsOf(type: EventType, given: CallOptions & { name: string | undefined }): string[] {
  const { takes, needs = [] } = SHAPES[type]
  const specials = ['name', 'property', 'trait', 'group', 'previous'] as const
  const faults = [
    ...specials
      .filter((field) => given[field] !== undefined && !takes.includes(field))
      .map((field) => `${type} does not take ${WORDS[field]}.`),
    ...needs.filter((field) => !given[field]).map((field) => `${type} needs ${WORDS[field]}.`),
  ]
  if (type !== 'alias' && !given.user && !given.anonymous) {
    faults.push(`${type} needs --user or --anonymous.`)
  }
  if (given.timestamp !== undefined && parseTimestamp(given.timestamp) === undefined) {
    faults.push('--timestamp cannot be read: give ISO 8601, like 2026-11-21T09:30:00.000Z.')
  }
  return faults
}
