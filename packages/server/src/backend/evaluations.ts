import type { AcceptedEvent, Json } from '@hookline/protocol'
import type { Fact, SpacedId } from './profiles.ts'

/** What was sent of a computation for one user. */
export interface Announced {
  readonly value: Json
  /** Counts the changes that were sent, from 1. */
  readonly number: number
  /** The `timestamp` of the last one, in milliseconds since the epoch. */
  readonly at: number
}

/** A profile with everything that a computation may look at. */
export interface LoadedProfile {
  readonly profileId: number
  readonly space: string
  /** Grows with each change of the profile. */
  readonly version: number
  /** Whether it has changed since it was evaluated. */
  readonly isDirty: boolean
  /** When it is to be evaluated although it does not change, in milliseconds since the epoch; `null`: never. */
  readonly recheckAt: number | null
  /** The userIds that events have named, in the order of the alphabet. */
  readonly userIds: readonly string[]
  readonly traits: Readonly<Record<string, Json>>
  /** By number of the clause; newest first. */
  readonly facts: ReadonlyMap<number, readonly Fact[]>
  /** The current value of each computation that has one, and since when. */
  readonly results: ReadonlyMap<string, { readonly value: Json; readonly since: number }>
  /** By computation, then by userId. */
  readonly announced: ReadonlyMap<string, ReadonlyMap<string, Announced>>
  /** The manual audiences whose list has one of the userIds. */
  readonly manual: ReadonlySet<string>
}

/** A value of a computation that has changed. `undefined`: it has none any more, as of a user who left an audience. */
export interface ChangedResult {
  readonly computationId: string
  readonly value: Json | undefined
  readonly since: number
}

/** A change that is sent for one user, and its event for the log. */
export interface Announcement extends Announced {
  readonly computationId: string
  readonly userId: string
  readonly event: AcceptedEvent
}

/** What the evaluation of a profile came to. */
export interface Evaluated {
  readonly profileId: number
  /** The version that was evaluated. */
  readonly version: number
  readonly results: readonly ChangedResult[]
  readonly announcements: readonly Announcement[]
  /** When a verdict can next change by time alone, in milliseconds since the epoch; `null`: never. */
  readonly recheckAt: number | null
}

/** The bounds of a batch of `Evaluations.walk`: the main thread reads a batch in one turn. */
export const WALK_PROFILES = 250
export const WALK_BYTES = 512 * 1024

/** Some profiles of a space, and how much of each is loaded. */
export interface ProfileWalk {
  readonly space: string
  /** The `profileId` of the last profile of the batch before; 0 for the first batch. */
  readonly after: number
  /** Only every n-th profile is loaded: a sample. All of them by default. */
  readonly every?: number
  /** The clauses whose facts are loaded. */
  readonly clauses: readonly number[]
  /** The computation whose announcements are loaded. None are by default. */
  readonly computationId?: string
}

/** The results of computations: which profiles to evaluate, and what came of it. */
export interface Evaluations {
  /**
   * Profiles to evaluate, at most `limit`: the dirty ones, those that became dirty first first, then those whose `recheckAt`
   * has come. Each is loaded as it is at one moment.
   */
  due(now: number, limit: number): Promise<readonly LoadedProfile[]>

  /** These profiles, as they are at one moment; without those that are gone. */
  load(profileIds: readonly number[]): Promise<readonly LoadedProfile[]>

  /** The profile of a user. */
  loadUser(space: string, userId: string): Promise<LoadedProfile | undefined>

  /**
   * Stores what evaluations came to and appends the events of the announcements to the log: all or nothing. Leaves out
   * profiles whose version is another one by now: they are dirty, or were evaluated meanwhile. The others are no longer dirty. Resolves
   * to those that it has stored. Safe to call twice: the second call leaves out all.
   */
  commit(evaluated: readonly Evaluated[]): Promise<readonly Evaluated[]>

  /**
   * Appends events that tell again what was announced: all or none. Resolves to false, and has appended nothing, where a user
   * was purged since `purges` was read from the state of the profiles.
   */
  tell(events: readonly AcceptedEvent[], purges: number): Promise<boolean>

  /**
   * The next profiles of a space in the order of their numbers, each as it is at one moment. A batch has at most 250, and about
   * 512 KiB of values if it has more than one. An empty batch is the end.
   */
  walk(query: ProfileWalk): Promise<readonly LoadedProfile[]>

  /** The number of the profile of each id, in their order; `undefined` for an id without a profile. */
  profilesOf(ids: readonly SpacedId[]): Promise<readonly (number | undefined)[]>

  /** How many profiles are dirty or due, and since when the oldest one waits. */
  waiting(now: number): Promise<{ readonly profiles: number; readonly since: number | null }>
}
