import type { AcceptedEvent, Comparison, CountOperator, Json } from '@hookline/protocol'
import type { Fact } from './profiles.ts'

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

/** A condition whose clauses name their facts: what `differing` evaluates for all profiles. */
export type PlannedCondition =
  | { readonly and: readonly PlannedCondition[] }
  | { readonly or: readonly PlannedCondition[] }
  | { readonly not: PlannedCondition }
  | { readonly trait: readonly string[]; readonly is: Comparison }
  /** The value of the computed trait with this id. */
  | { readonly computation: string; readonly is: Comparison }
  /** Is a member of the audience with this id. */
  | { readonly memberOf: string }
  /** The list of the manual audience with this id has one of the userIds. */
  | { readonly listOf: string }
  | PlannedCount

/** Counts facts of a clause: those within the last `withinMs`, or from `from` until before `to`, or all. */
export interface PlannedCount {
  readonly clause: number
  readonly withinMs?: number
  readonly between?: readonly [from: number, to: number]
  readonly count: { readonly op: CountOperator; readonly n: number }
}

/** Where a full sync looks for profiles to evaluate. */
export interface DifferingQuery {
  readonly computationId: string
  readonly space: string
  /** For an audience. Without it, every profile that has a fact of `clauses` or a result is found. */
  readonly condition?: PlannedCondition
  readonly clauses: readonly number[]
  /** Whether profiles whose `recheckAt` may be too late are found as well: for a condition that is new. */
  readonly findsRechecks: boolean
  /** Milliseconds since the epoch. */
  readonly now: number
  /** The `reached` of the slice before; 0 for the first. */
  readonly after: number
}

export interface Differing {
  /**
   * Profiles whose stored result is not what the condition says, or was not announced for each of their userIds, or whose
   * `recheckAt` may be too late.
   */
  readonly profileIds: readonly number[]
  /** Those of them that nothing would have evaluated: neither dirty nor due, and the result differs or was not announced. */
  readonly missed: readonly number[]
  /** How many profiles of the space the slice looked at. */
  readonly looked: number
  /** Where the next slice begins; `null` at the end. */
  readonly reached: number | null
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

  /** Looks for profiles to evaluate in a slice of all profiles, whatever is dirty or due. Takes part of a second. */
  differing(query: DifferingQuery): Promise<Differing>

  /** How many profiles are dirty or due, and since when the oldest one waits. */
  waiting(now: number): Promise<{ readonly profiles: number; readonly since: number | null }>
}
