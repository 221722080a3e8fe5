import { type AcceptedEvent, DEFAULT_SPACE, type Event } from '@hookline/protocol'
import type { Catalog } from '../../backend/catalog.ts'
import type { PositionedEvent } from '../../backend/log.ts'
import type { ProfileChange, ProfileId } from '../../backend/profiles.ts'
import type { EventMatcher } from '../conditions/match-event.ts'

interface Context {
  readonly catalog: Pick<Catalog, 'current'>
  readonly placeholders: Placeholders
  readonly matcher: EventMatcher
}

/** What an event says about its user. */
export function profileChangeOf(
  { position, event: accepted }: PositionedEvent,
  { catalog, placeholders, matcher }: Context,
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
    space: spaceOf(accepted, catalog),
    type,
    ...(userId !== undefined && { userId }),
    ...(anonymousId !== undefined && { anonymousId }),
    links,
    hasPlaceholder: named.some(isPlaceholder),
    timestamp,
    receivedAt: Date.parse(event.receivedAt),
    ...(aheadMs > 0 && { aheadMs }),
    ...(type === 'identify' && traits !== undefined && { traits }),
    facts: matcher.factsOf(accepted, timestamp),
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

/** The space of the source of an event. That of a source that was removed is no longer known. */
export function spaceOf(
  { sourceId }: AcceptedEvent,
  { current }: Pick<Catalog, 'current'>,
): string {
  return current.sources.get(sourceId)?.space ?? DEFAULT_SPACE
}

/** Computed events feed no profile: what is computed must not depend on itself. */
export function isOfUser({ event: { origin, event } }: PositionedEvent): boolean {
  return origin === undefined && (event.userId !== undefined || event.anonymousId !== undefined)
}

/** Texts that programs send if they know no id, without regard to case. They would join everybody who has them. */
const PLACEHOLDERS = [
  '',
  'undefined',
  'null',
  'nil',
  'none',
  'nan',
  'true',
  'false',
  'anonymous',
  'unknown',
  'n/a',
  '[object object]',
  '{}',
  '[]',
]

/** Ids that stand for no user, and so are never linked to another id. */
export class Placeholders {
  readonly #texts: ReadonlySet<string>

  /** @param more texts beside those that every installation has */
  constructor(more: readonly string[] = []) {
    this.#texts = new Set([...PLACEHOLDERS, ...more.map(folded)])
  }

  has({ kind, id }: ProfileId): boolean {
    const text = folded(id)
    if (this.#texts.has(text)) return true
    const letters = text.replaceAll(/[\s_:.-]/gu, '')
    // A user may well have the number 7 or 22. A device never has an id of one character.
    const isOneCharacter = kind === 'anonymous' ? /^(.)\1*$/su : /^(?:0+|(\D)\1{2,})$/su
    return letters === '' || isOneCharacter.test(letters)
  }
}

function folded(text: string): string {
  return text.trim().toLowerCase()
}
