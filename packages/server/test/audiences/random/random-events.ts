import { type AcceptedEvent, type Event, formatTimestamp, type Json } from '@hookline/protocol'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import type { Chance } from './chance.ts'
import { ODD_NAMES, someMoment, someValue } from './random-computations.ts'

const USERS = ['u1', 'u2', 'u3', 'u4'] as const
const VISITORS = ['v1', 'v2'] as const

/** The id of a user, who may have events. */
export function someUser(chance: Chance): string {
  return chance.pick(USERS)
}

interface EventOptions {
  readonly sourceId: string
  readonly now: number
  /** The whole hour before `now`. */
  readonly hour: number
  /** How many anonymous visitors there are. */
  readonly visitors: number
}

/** An event from one of a few users, on a whole hour: mostly in the past, sometimes in the future. */
export function someEvent(
  chance: Chance,
  { sourceId, now, hour, visitors }: EventOptions,
): AcceptedEvent {
  const timestamp = chance.is(0.5)
    ? hour - chance.integer(0, 3) * 3_600_000
    : someMoment(chance, hour)
  const known = VISITORS.slice(0, visitors)
  const event = {
    ...idsOf(chance, known),
    ...fieldsOf(chance, hour, known),
    timestamp: formatTimestamp(timestamp),
  }
  return acceptedEvent({ sourceId, at: now, ...event })
}

function idsOf(chance: Chance, visitors: readonly string[]): Partial<Event> {
  const anonymousId = chance.pick(visitors)
  if (chance.is(0.15)) return { userId: undefined as never, anonymousId }
  return { userId: someUser(chance), ...(chance.is(0.15) && { anonymousId }) }
}

function fieldsOf(chance: Chance, hour: number, visitors: readonly string[]): Partial<Event> {
  const properties = { p: someValue(chance), ...(chance.is(0.5) && { q: someValue(chance) }) }
  const kind = chance.integer(0, 19)
  if (kind < 9)
    return { type: 'track', event: chance.pick(['Order', 'Order', 'Signup']), properties }
  if (kind < 12) return { ...untracked('page', chance.pick(['Home', 'Pricing'])), properties }
  if (kind < 13) return { ...untracked('group'), groupId: 'g1', traits: properties }
  if (kind < 19) return { ...untracked('identify'), traits: someTraits(chance, hour) }
  return { ...untracked('alias'), previousId: chance.pick([...USERS, ...visitors]) }
}

/** The type and name of a call without the fields of track calls. */
function untracked(type: Event['type'], name?: string): Partial<Event> {
  const none = { event: undefined as never, properties: undefined as never }
  return { ...none, type, ...(name !== undefined && { name }) }
}

function someTraits(chance: Chance, hour: number): Record<string, Json> {
  const since = chance.pick<Json>([
    formatTimestamp(someMoment(chance, hour)),
    someMoment(chance, hour),
  ])
  // As from JSON: a name may equal an inherited property.
  return Object.fromEntries(
    [
      ['plan', someValue(chance)] as const,
      ['since', since] as const,
      ['address', { city: someValue(chance) }] as const,
      [chance.pick(ODD_NAMES), someValue(chance)] as const,
    ].filter(() => chance.is(0.5)),
  )
}
