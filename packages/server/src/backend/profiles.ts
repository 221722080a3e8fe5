import type { EventType, Json, JsonObject } from '@hookline/protocol'

/** An occurrence that a clause counts: one event of one profile. */
export interface Fact {
  /** The `timestamp` of the event, in milliseconds since the epoch. */
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

/** What one event says about the profile of its user. */
export interface ProfileChange {
  readonly position: number
  readonly eventId: string
  readonly sourceId: string
  readonly space: string
  readonly type: EventType
  /** At least one of them is present. With a `userId`, the event belongs to the profile of that user. */
  readonly userId?: string
  readonly anonymousId?: string
  /** The profiles of these ids become one with the profile of the event. */
  readonly joins: readonly ProfileId[]
  /** In milliseconds since the epoch, as `receivedAt`. */
  readonly timestamp: number
  readonly receivedAt: number
  /** The traits of an identify call. `null` removes a trait. */
  readonly traits?: JsonObject
  readonly facts: readonly ClauseFact[]
}

/** An id of a user, of one of two kinds. Equal texts of different kinds are different ids. */
export interface ProfileId {
  readonly kind: 'user' | 'anonymous'
  readonly id: string
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

/** How far profiles have followed the log. */
export interface ProfilesState {
  /** The position of the last event that is applied; `null` while no profiles are kept. */
  readonly through: number | null
  /** Counts the purges of users. */
  readonly purges: number
}

/** A trait of a profile, and the event that set it. */
export interface Trait {
  readonly value: Json
  /** The `timestamp` of the event, in milliseconds since the epoch. */
  readonly at: number
  readonly eventId: string
  readonly sourceId: string
}

/** Everything that is known of a user. */
export interface Profile {
  readonly space: string
  /** The ids that events have named as those of the user, in the order of the alphabet: not the former id of an alias. */
  readonly userIds: readonly string[]
  readonly anonymousIds: readonly string[]
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

/**
 * Profiles of users, made from the events of the log. They follow the log with a cursor of their own, so that a slow
 * store of profiles delays no delivery.
 *
 * A profile is a set of ids that belong together. For each trait the newest `timestamp` wins, then the later
 * `receivedAt`, then the greater event id. So a profile does not depend on the order in which events are applied.
 */
export interface Profiles {
  /** Cheap. */
  state(): Promise<ProfilesState>

  /** Begins to follow the log at its oldest event. Durable when it resolves. Safe to call twice. */
  begin(): Promise<void>

  /**
   * Applies a slice, and moves the cursor to its end: all or nothing. A profile whose traits, ids or facts have changed
   * is dirty then. Resolves to false, and has changed nothing, where the cursor is not at `after` or a user has been
   * purged since: then read the state and the slice again. So it is safe to call twice.
   */
  apply(slice: ProfileSlice): Promise<boolean>

  /** The profile that the id belongs to. */
  find(space: string, userId: string): Promise<Profile | undefined>

  /** How many profiles there are in the space. */
  count(space: string): Promise<number>
}
