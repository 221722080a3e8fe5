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

/** The change that an event makes to its user's profile. */
export function profileChangeOf(
  { position, event: accepted }: PositionedEvent,
  { catalog, placeholders, matcher }: Context,
): ProfileChange {
  const { id: eventId, sourceId, event } = accepted
  const { type, messageId, userId, anonymousId, traits } = event
  const timestamp = effectiveTimeOf(event)
  const aheadMs = Date.parse(event.timestamp) - timestamp
  const isPlaceholder = (id: ProfileId): boolean => placeholders.has(id)
  const requested = linksOf(event)
  const named = [...idsOf(event), ...requested]
  const links = requested.filter(
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
 * The event's timestamp, or the time of its receipt if that is earlier: otherwise a trait from a client whose clock is ahead would
 * beat every newer one until real time catches up.
 */
export function effectiveTimeOf({ timestamp, receivedAt }: Event): number {
  return Math.min(Date.parse(timestamp), Date.parse(receivedAt))
}

const NO_IDS: readonly ProfileId[] = []

/** Ids to link to the user: the anonymousId, and the previousId of an alias. */
function linksOf({ type, userId, anonymousId, previousId }: Event): readonly ProfileId[] {
  if (userId === undefined) return NO_IDS
  const claimed: ProfileId[] =
    anonymousId === undefined ? [] : [{ kind: 'anonymous', id: anonymousId }]
  if (type !== 'alias' || previousId === undefined) return claimed
  // The kind of a previousId is unknown.
  const former = [
    { kind: 'user', id: previousId },
    { kind: 'anonymous', id: previousId },
  ] as const
  return [...claimed, ...former].filter(({ kind, id }) => kind !== 'user' || id !== userId)
}

/** The id that decides the profile: the userId, or else the anonymousId. At most one. */
export function idsOf({ userId, anonymousId }: Event): readonly ProfileId[] {
  if (userId !== undefined) return [{ kind: 'user', id: userId }]
  return anonymousId === undefined ? NO_IDS : [{ kind: 'anonymous', id: anonymousId }]
}

/** The space of the event's source; the default space once the source is deleted. */
export function spaceOf(
  { sourceId }: AcceptedEvent,
  { current }: Pick<Catalog, 'current'>,
): string {
  return current.sources.get(sourceId)?.space ?? DEFAULT_SPACE
}

/** Computed events are excluded, so that results do not feed back into profiles. */
export function isOfUser({ event: { origin, event } }: PositionedEvent): boolean {
  return origin === undefined && (event.userId !== undefined || event.anonymousId !== undefined)
}

/** Values, in any letter case, that programs send when they have no id. Linking them would merge unrelated users. */
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

/** Ids that identify no user, and are never linked. */
export class Placeholders {
  readonly #texts: ReadonlySet<string>

  /** @param more ids from the settings */
  constructor(more: readonly string[] = []) {
    this.#texts = new Set([...PLACEHOLDERS, ...more.map(foldCase)])
  }

  has({ kind, id }: ProfileId): boolean {
    const text = foldCase(id)
    if (this.#texts.has(text)) return true
    const letters = text.replaceAll(/[\s_:.-]/gu, '')
    // A userId may be 7 or 22. A device id is never a single repeated character.
    const isOneCharacter = kind === 'anonymous' ? /^(.)\1*$/su : /^(?:0+|(\D)\1{2,})$/su
    return letters === '' || isOneCharacter.test(letters)
  }
}

function foldCase(text: string): string {
  return text.trim().toLowerCase()
}
