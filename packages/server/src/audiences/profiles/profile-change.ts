import type { Event } from '@hookline/protocol'
import type { PositionedEvent } from '../../backend/log.ts'
import type { ClauseFact, ProfileChange, ProfileId } from '../../backend/profiles.ts'

/** What an event says about its user. `factsOf` finds the clauses that count it. */
export function profileChangeOf(
  { position, event: accepted }: PositionedEvent,
  space: string,
  factsOf: (timestampMs: number) => readonly ClauseFact[],
): ProfileChange {
  const { id: eventId, sourceId, event } = accepted
  const { type, userId, anonymousId, traits } = event
  const timestamp = Date.parse(event.timestamp)
  return {
    position,
    eventId,
    sourceId,
    space,
    type,
    ...(userId !== undefined && { userId }),
    ...(anonymousId !== undefined && { anonymousId }),
    joins: joinsOf(event),
    timestamp,
    receivedAt: Date.parse(event.receivedAt),
    ...(type === 'identify' && traits !== undefined && { traits }),
    facts: factsOf(timestamp),
  }
}

const NO_IDS: readonly ProfileId[] = []

/** The ids whose profiles the event makes one with that of its user: an identify names one, an alias the former one. */
function joinsOf({ type, userId, anonymousId, previousId }: Event): readonly ProfileId[] {
  if (type === 'identify' && userId !== undefined && anonymousId !== undefined)
    return [{ kind: 'anonymous', id: anonymousId }]
  if (type !== 'alias' || previousId === undefined) return NO_IDS
  // The call does not say of which kind the former id is.
  return [
    { kind: 'user', id: previousId },
    { kind: 'anonymous', id: previousId },
  ]
}

/** The ids of an event's user, the one that its profile belongs to first. */
export function idsOf({ userId, anonymousId }: Event): readonly ProfileId[] {
  if (userId !== undefined) return [{ kind: 'user', id: userId }]
  return anonymousId === undefined ? NO_IDS : [{ kind: 'anonymous', id: anonymousId }]
}
