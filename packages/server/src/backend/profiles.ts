import type { EventType, Json, JsonObject } from '@hookline/protocol'
import type { Page, PageRequest } from './page.ts'

export interface Fact {
  readonly at: number
  readonly position: number
  /** The value of the property to compute with; `null` if the clause needs none. */
  readonly value: Json
}

export interface ClauseFact {
  readonly clause: number
  readonly value: Json
}

export interface ProfileChange {
  readonly position: number
  readonly eventId: string
  readonly messageId: string
  readonly sourceId: string
  readonly space: string
  readonly type: EventType
  /**
   * At least one of `userId` and `anonymousId` is present. An event with a `userId` belongs to the
   * identity of that user.
   */
  readonly userId?: string
  readonly anonymousId?: string
  /** The anonymousIds that the user claims, and the other userIds of an alias. None without a `userId`. */
  readonly links: readonly ProfileId[]
  readonly hasPlaceholder: boolean
  /** The effective time: at most `receivedAt`. */
  readonly timestamp: number
  readonly receivedAt: number
  /** How far the client's timestamp is ahead of `receivedAt`, if at all. Orders calls that were received together. */
  readonly aheadMs?: number
  /** The traits of an identify call. `null` removes a trait. */
  readonly traits?: JsonObject
  readonly facts: readonly ClauseFact[]
}

/** An id of a user. Equal texts of different kinds are different ids. */
export interface ProfileId {
  readonly kind: 'user' | 'anonymous'
  readonly id: string
}

export interface IdInSpace extends ProfileId {
  readonly space: string
}

export interface ProfileSlice {
  /** The position from `state`, or `through` of the previous slice. */
  readonly after: number
  /** The position of the last event in the slice, even without a change. */
  readonly through: number
  readonly changes: readonly ProfileChange[]
  readonly purges: number
  readonly at: number
}

/** Why an id in a call was not linked to the call's userId, explained in `UnlinkedIdsByReason`. */
type UnlinkedReason = 'other_user' | 'limit' | 'placeholder'

/** New ids in a source's calls that were not linked. Each call with a placeholder counts. */
export interface UnlinkedIds {
  readonly sourceId: string
  readonly reason: UnlinkedReason
  readonly ids: number
}

export interface AppliedSlice {
  readonly unlinked: readonly UnlinkedIds[]
  /** The number of ids of the largest relinked profile; 0 for none. */
  readonly largest: number
}

export interface ProfilesState {
  /** The position of the last applied event; `null` before `begin`. */
  readonly through: number | null
  readonly purges: number
}

interface Origin {
  readonly at: number
  readonly eventId: string
  readonly sourceId: string
}

interface Trait extends Origin {
  readonly value: Json
}

/** An id that occurred in an event with a userId, linked to it or not. */
export interface Link extends ProfileId, Origin {
  readonly userId: string
}

interface UnlinkedIdsByReason {
  /** Another user claimed the anonymousId earlier. */
  readonly otherUser: LinkSample
  /** The profile has the maximum number of links, or an alias call would join too many users. */
  readonly limit: LinkSample
  readonly placeholders: number
}

/** The 20 earliest links, and the total number, up to 1,000. */
export interface LinkSample {
  readonly links: readonly Link[]
  readonly count: number
}

export interface Profile {
  readonly space: string
  /**
   * The sorted ids of the user in events and lists, without ids that occur only as former ids of
   * aliases.
   */
  readonly userIds: readonly string[]
  readonly anonymousIds: readonly string[]
  readonly links: readonly Link[]
  readonly unlinkedIds: UnlinkedIdsByReason
  readonly traits: Readonly<Record<string, Trait>>
  readonly computed: Readonly<Record<string, { readonly value: Json; readonly since: number }>>
  readonly audiences: Readonly<Record<string, { readonly since: number }>>
  readonly counts: Readonly<Partial<Record<EventType, number>>>
  /** The first and the last `timestamp` of its events. */
  readonly firstSeenAt: number | null
  readonly lastSeenAt: number | null
}

/** All profiles in a space, or the ones that match a search text or a trait. */
export interface ProfileQuery {
  readonly space: string
  /** A prefix of a userId, a complete anonymousId, or a complete email address. */
  readonly text?: string
  /** A trait and its value as text, ignoring case. */
  readonly trait?: { readonly name: string; readonly value: string }
  /** The profiles with the most ids, on one page. Not with `text` or `trait`. */
  readonly isLargestFirst?: boolean
}

/** A profile in a list, with at most 20 ids of each kind, and 20 traits. */
export interface ProfileSummary extends Pick<
  Profile,
  'space' | 'userIds' | 'anonymousIds' | 'firstSeenAt' | 'lastSeenAt'
> {
  readonly traits: Readonly<Record<string, Json>>
}

export interface FoundProfiles extends Page<ProfileSummary> {
  /** The share of profiles that were searched, while the trait is being indexed. */
  readonly indexed?: number
}

/**
 * Profiles of users, derived from the events in the log. They have their own cursor, so slow profile updates never delay a
 * delivery.
 *
 * Each id is an identity, with the traits, facts and counts of its events. Links join identities to profiles: an anonymousId
 * belongs to the user of the earliest event that has both ids, and an alias joins two users. A profile combines its identities:
 * for each trait the newest effective time wins, then the later `receivedAt`, the greater `aheadMs`, and the greater event id. So
 * the result does not depend on the order of application, and unlinking restores the prior state (`store/profiles/README.md`).
 */
export interface Profiles {
  state(): Promise<ProfilesState>

  /**
   * Begins to follow the log at its oldest event. `maxLinks`: the maximum number of anonymousIds of
   * a profile; excess links are kept until a relink.
   */
  begin(maxLinks: number): Promise<void>

  /**
   * Applies a slice, marks changed profiles as dirty, and moves the cursor to its end: all or nothing. Resolves to `undefined`
   * without changes if the cursor is not at `after`, or if a user has been purged since: read the state and the slice again.
   */
  apply(slice: ProfileSlice): Promise<AppliedSlice | undefined>

  find(space: string, userId: string): Promise<Profile | undefined>

  count(space: string): Promise<number>

  /** The first search for a trait creates an index, which `index` fills. @throws {TooManyTraitIndexesError} */
  list(query: ProfileQuery, page: PageRequest, now: number): Promise<FoundProfiles>

  /** Fills trait indexes, and removes unused ones, in slices. Resolves to whether more work remains. */
  index(unusedSince: number): Promise<boolean>
}

/** Too many traits are indexed. An index is removed after a week without a search. */
export class TooManyTraitIndexesError extends Error {
  override readonly name = 'TooManyTraitIndexesError'
}
