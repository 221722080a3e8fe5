import type { AcceptedEvent, Json } from '@hookline/protocol'
import type { Fact, IdInSpace } from './profiles.ts'

/** The last sent value of a computation for one user. */
export interface AnnouncedValue {
  readonly value: Json
  /** The number of sent changes, from 1. */
  readonly number: number
  readonly at: number
}

export interface LoadedProfile {
  readonly profileId: number
  readonly space: string
  readonly version: number
  readonly isDirty: boolean
  /** When to re-evaluate it even without a change. */
  readonly recheckAt: number | null
  readonly userIds: readonly string[]
  readonly traits: Readonly<Record<string, Json>>
  /** By clause number; newest first. */
  readonly facts: ReadonlyMap<number, readonly Fact[]>
  readonly results: ReadonlyMap<string, { readonly value: Json; readonly since: number }>
  readonly announced: ReadonlyMap<string, ReadonlyMap<string, AnnouncedValue>>
  /** The manual audiences that list one of the userIds. */
  readonly manual: ReadonlySet<string>
}

/**
 * A changed value of a computation. `undefined`: the profile lost the value, for example because it
 * left an audience.
 */
export interface ChangedResult {
  readonly computationId: string
  readonly value: Json | undefined
  readonly since: number
}

export interface Announcement extends AnnouncedValue {
  readonly computationId: string
  readonly userId: string
  readonly event: AcceptedEvent
}

export interface EvaluatedProfile {
  readonly profileId: number
  readonly version: number
  readonly results: readonly ChangedResult[]
  readonly announcements: readonly Announcement[]
  /** When a result may next change by time alone. */
  readonly recheckAt: number | null
}

/** The limits of a batch of `Evaluations.walk`, which the main thread reads in one turn. */
export const WALK_PROFILES = 250
export const WALK_BYTES = 512 * 1024

export interface ProfileWalk {
  readonly space: string
  /** The last `profileId` of the previous batch; 0 for the first. */
  readonly after: number
  /** Loads a sample: every n-th profile. All by default. */
  readonly every?: number
  /** Loads the facts of these clauses. */
  readonly clauses: readonly number[]
  /** Loads the announcements of this computation. None by default. */
  readonly computationId?: string
}

/** Profiles to evaluate, and the results of computations. Each profile is loaded as a consistent snapshot. */
export interface Evaluations {
  /** Profiles to evaluate: dirty ones, longest dirty first, then those whose `recheckAt` has passed. */
  due(now: number, limit: number): Promise<readonly LoadedProfile[]>

  load(profileIds: readonly number[]): Promise<readonly LoadedProfile[]>

  loadUser(space: string, userId: string): Promise<LoadedProfile | undefined>

  /**
   * Stores results and appends the events: all or nothing. Skips profiles with another version. Resolves to the stored evaluations.
   */
  commit(evaluated: readonly EvaluatedProfile[]): Promise<readonly EvaluatedProfile[]>

  /**
   * Appends events that repeat announcements: all or none. Resolves to false if a user has been purged since `purges` was read.
   */
  announce(events: readonly AcceptedEvent[], purges: number): Promise<boolean>

  /** The next profiles by number: at most `WALK_PROFILES` and about `WALK_BYTES` of values, but at least one. Empty at the end. */
  walk(query: ProfileWalk): Promise<readonly LoadedProfile[]>

  profilesOf(ids: readonly IdInSpace[]): Promise<readonly (number | undefined)[]>

  /** The number of dirty or due profiles, and when the longest wait began. */
  waiting(now: number): Promise<{ readonly profiles: number; readonly since: number | null }>
}
