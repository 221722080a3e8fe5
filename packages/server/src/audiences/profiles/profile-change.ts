import type { Event } from '@hookline/protocol'
import type { PositionedEvent } from '../../backend/log.ts'
import type { ClauseFact, ProfileChange, ProfileId } from '../../backend/profiles.ts'
import type { Placeholders } from './placeholders.ts'

/** What profiles need to know of an event, besides the event. */
interface Context {
  readonly space: string
  readonly placeholders: Placeholders
  /** Finds the clauses that count the event. */
  readonly factsOf: (effectiveTimeMs: number) => readonly ClauseFact[]
}

/** What an event says about its user. */
export function profileChangeOf(
  { position, event: accepted }: PositionedEvent,
  { space, placeholders, factsOf }: Context,
): ProfileChange {
  const { id: eventId, sourceId, event } = accepted
  const { type, messageId, userId, anonymousId, traits } = event
  const timestamp = effectiveTimeOf(event)
  const aheadMs = Date.parse(event.timestamp) - timestamp
  const isPlaceholder = (id: ProfileId): boolean => placeholders.has(id)
  const wanted = linksOf(event)
  const named = [...idsOf(event), ...wanted]
  const links = wanted.filter(
    (link) => !isPlaceholder(link) && !isPlaceholder({ kind: 'user', id: userId! }),
  )
  return {
    position,
    eventId,
    messageId,
    sourceId,
    space,
    type,
    ...(userId !== undefined && { userId }),
    ...(anonymousId !== undefined && { anonymousId }),
    links,
    hasPlaceholder: named.some(isPlaceholder),
    timestamp,
    receivedAt: Date.parse(event.receivedAt),
    ...(aheadMs > 0 && { aheadMs }),
    ...(type === 'identify' && traits !== undefined && { traits }),
    facts: factsOf(timestamp),
  }
}

/**
 * When an event happened, as far as profiles are concerned: not after it was received. A client whose clock is ahead would
 * decide about a trait until then.
 */
export function effectiveTimeOf({ timestamp, receivedAt }: Event): number {
  return Math.min(Date.parse(timestamp), Date.parse(receivedAt))
}

const NO_IDS: readonly ProfileId[] = []

/** The ids that the event names beside that of its user: the anonymousId that the user claims, or the former id of an alias. */
function linksOf({ type, userId, anonymousId, previousId }: Event): readonly ProfileId[] {
  if (userId === undefined) return NO_IDS
  const claimed: ProfileId[] =
    anonymousId === undefined ? [] : [{ kind: 'anonymous', id: anonymousId }]
  if (type !== 'alias' || previousId === undefined) return claimed
  // The call does not say of which kind the former id is.
  const former = [
    { kind: 'user', id: previousId },
    { kind: 'anonymous', id: previousId },
  ] as const
  return [...claimed, ...former].filter(({ kind, id }) => kind !== 'user' || id !== userId)
}

/** The ids of an event's user, the one that its profile belongs to first. */
export function idsOf({ userId, anonymousId }: Event): readonly ProfileId[] {
  if (userId !== undefined) return [{ kind: 'user', id: userId }]
  return anonymousId === undefined ? NO_IDS : [{ kind: 'anonymous', id: anonymousId }]
}
