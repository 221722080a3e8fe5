import type { EventType, Json, JsonObject } from '@hookline/protocol'
import type { Page, PageRequest } from './page.ts'

/** An occurrence that a clause counts: one event of one profile. */
export interface Fact {
  /** The effective time of the event, in milliseconds since the epoch. */
  readonly at: number
  /** The position of the event in the log. */
  readonly position: number
  /** The value of the property that is computed from; `null` where the clause needs none. */
  readonly value: Json
}

/** A fact of an event, and the clause that counts it. */
export interface ClauseFact {
  /** The number that `Facts.put` gave to the clause. */
  readonly clause: number
  readonly value: Json
}

/** What one event says about its user. */
export interface ProfileChange {
  readonly position: number
  readonly eventId: string
  readonly messageId: string
  readonly sourceId: string
  readonly space: string
  readonly type: EventType
  /** At least one of them is present. With a `userId`, the event belongs to the identity of that user. */
  readonly userId?: string
  readonly anonymousId?: string
  /** The anonymousIds that the user claims, and the userIds that an alias calls the same user. None without a `userId`. */
  readonly links: readonly ProfileId[]
  /** Whether one of its ids stands for no user. */
  readonly hasPlaceholder: boolean
  /** The effective time: at most `receivedAt`, in milliseconds since the epoch as that. */
  readonly timestamp: number
  readonly receivedAt: number
  /** By how much the client says that it happened later than that; absent for not at all. It orders calls that were received together. */
  readonly aheadMs?: number
  /** The traits of an identify call. `null` removes a trait. */
  readonly traits?: JsonObject
  readonly facts: readonly ClauseFact[]
}

/** An id of a user, of one of two kinds. Equal texts of different kinds are different ids. */
export interface ProfileId {
  readonly kind: 'user' | 'anonymous'
  readonly id: string
}

/** An id, in a space. */
export interface SpacedId extends ProfileId {
  readonly space: string
}

/** A slice of the log, as far as profiles are concerned. */
export interface ProfileSlice {
  /** The position that `state` returned, or the `through` of the slice before. */
  readonly after: number
  /** The position of the last event of the slice, also if it changes no profile. */
  readonly through: number
  readonly changes: readonly ProfileChange[]
  /** `purges` of the state when the slice was read. */
  readonly purges: number
  /** Since when changed profiles are dirty, in milliseconds since the epoch. */
  readonly at: number
}

/** Why an id that a call named beside its userId is not linked to it: as in `RefusedLinks`. */
type UnlinkedReason = 'other_user' | 'limit' | 'placeholder'

/** Ids that calls of a source named for the first time, and that were not linked. Of placeholders, each call counts. */
export interface UnlinkedIds {
  readonly sourceId: string
  readonly reason: UnlinkedReason
  readonly ids: number
}

export interface AppliedSlice {
  readonly unlinked: readonly UnlinkedIds[]
  /** How many ids the largest profile has that the slice has linked anew; 0 for none. */
  readonly largest: number
}

/** How far profiles have followed the log. */
export interface ProfilesState {
  /** The position of the last event that is applied; `null` while no profiles are kept. */
  readonly through: number | null
  /** Counts the purges of users. */
  readonly purges: number
}

/** The event that something is from. */
interface Origin {
  /** Its effective time, in milliseconds since the epoch. */
  readonly at: number
  readonly eventId: string
  readonly sourceId: string
}

/** A trait of a profile, and the event that set it. */
interface Trait extends Origin {
  readonly value: Json
}

/** An id that belongs to a user, or that does not although an event named both; and that event. */
export interface Link extends ProfileId, Origin {
  readonly userId: string
}

/** Why ids that events named beside a userId of the profile are not linked to it. */
interface RefusedLinks {
  /** Another user claimed the anonymousId earlier. */
  readonly otherUser: LinkSample
  /** The profile has as many links as it may have, or an alias would make too many users one. */
  readonly limit: LinkSample
  /** Events that have an id that is a placeholder. */
  readonly placeholders: number
}

/** Links: at most 20 of them, the earliest, and the number of all, which is counted up to 1,000. */
export interface LinkSample {
  readonly links: readonly Link[]
  readonly count: number
}

/** Everything that is known of a user. */
export interface Profile {
  readonly space: string
  /** The ids that events have named as those of the user, in the order of the alphabet: not the former id of an alias. */
  readonly userIds: readonly string[]
  readonly anonymousIds: readonly string[]
  /** Why it has more than one id. */
  readonly links: readonly Link[]
  readonly refusedLinks: RefusedLinks
  readonly traits: Readonly<Record<string, Trait>>
  /** The values of computed traits, and since when: by id of the computed trait. */
  readonly computed: Readonly<Record<string, { readonly value: Json; readonly since: number }>>
  /** The audiences that it belongs to, and since when: by id of the audience. */
  readonly audiences: Readonly<Record<string, { readonly since: number }>>
  /** Events by type. */
  readonly counts: Readonly<Partial<Record<EventType, number>>>
  /** The least and the greatest `timestamp` of its events, in milliseconds since the epoch; `null` without any. */
  readonly firstSeenAt: number | null
  readonly lastSeenAt: number | null
}

/** Which profiles of a space to list: all of them, or those that a text or a value of a trait finds. */
export interface ProfileQuery {
  readonly space: string
  /** The beginning of a userId, or an anonymousId. */
  readonly text?: string
  /** A trait and its value as text, without regard to case. */
  readonly trait?: { readonly name: string; readonly value: string }
  /** The profiles with the most ids, on one page. Not with `text` or `trait`. */
  readonly isLargestFirst?: boolean
}

/** A profile in a list: at most 20 of its ids of each kind, and of its traits. */
export interface ProfileSummary extends Pick<
  Profile,
  'space' | 'userIds' | 'anonymousIds' | 'firstSeenAt' | 'lastSeenAt'
> {
  readonly traits: Readonly<Record<string, Json>>
}

export interface FoundProfiles extends Page<ProfileSummary> {
  /** Only while the trait is being indexed: the share of profiles that were looked at, and which `data` is from. */
  readonly indexed?: number
}

/**
 * Profiles of users, made from the events of the log. They follow the log with a cursor of their own, so that a slow
 * store of profiles delays no delivery.
 *
 * Each id is an identity, with the traits, facts and counts of its own events. Links decide which identities make up a profile:
 * an anonymousId belongs to the user whose event with it is the earliest, and an alias makes two users one. A profile
 * has what its identities have together: for each trait the newest effective time wins, then the later
 * `receivedAt`, then the greater event id. So it does not depend on the order in which events are applied, and what is
 * unlinked is as it was before (`store/profiles/README.md`).
 */
export interface Profiles {
  /** Cheap. */
  state(): Promise<ProfilesState>

  /**
   * Begins to follow the log at its oldest event. Durable when it resolves. Safe to call twice.
   *
   * @param maxLinks the anonymousIds that a profile may have; what is linked already stays until the profile is linked anew
   */
  begin(maxLinks: number): Promise<void>

  /**
   * Applies a slice, and moves the cursor to its end: all or nothing. A profile whose traits, ids or facts have changed
   * is dirty then. Resolves to undefined, and has changed nothing, where the cursor is not at `after` or a user has been
   * purged since: then read the state and the slice again. So it is safe to call twice.
   */
  apply(slice: ProfileSlice): Promise<AppliedSlice | undefined>

  /** The profile that the id belongs to. */
  find(space: string, userId: string): Promise<Profile | undefined>

  /** How many profiles there are in the space. */
  count(space: string): Promise<number>

  /**
   * Lists profiles. The first search for a trait makes an index, which `index` fills.
   *
   * @param now the time of the search, in milliseconds since the epoch
   * @throws {TooManyTraitIndexes}
   */
  list(query: ProfileQuery, page: PageRequest, now: number): Promise<FoundProfiles>

  /** Does some of what indexes of traits need, and removes one that nobody has searched since. Resolves to whether there is more. */
  index(unusedSince: number): Promise<boolean>
}

/** So many traits are indexed that no other one can be: wait until one of them was not searched for a week. */
export class TooManyTraitIndexes extends Error {
  override readonly name = 'TooManyTraitIndexes'
}
