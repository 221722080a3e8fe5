import type { Json } from '@hookline/protocol'
import type { ProfileId } from './profiles.ts'

/** Which facts of a clause are kept: what its conditions need, and no more. */
export interface Keeping {
  /** Facts older than this are removed, in milliseconds; `null`: they are kept for ever. */
  readonly forMs: number | null
  /** At most so many for each profile: the newest. */
  readonly most: number
}

/** A clause that counts events. */
export interface FactClause {
  readonly number: number
  /** What it counts, as text: equal texts share their facts. */
  readonly definition: string
  readonly keeping: Keeping
  /** Events up to this position were in the log when it was put: `fill` adds them. Later ones come with `Profiles.apply`. */
  readonly fillThrough: number
  /** The position up to which it is filled; equal to `fillThrough` when it is complete. */
  readonly filledThrough: number
  /** When the oldest event was received that the archive still had when filling began; `null` if it had none. */
  readonly reachesBackTo: number | null
}

/** A fact of an event in the archive. */
export interface ArchivedFact {
  readonly clause: number
  readonly space: string
  /** The ids of its event: the profile is that of the first one that has one. */
  readonly ids: readonly ProfileId[]
  readonly at: number
  readonly position: number
  readonly value: Json
}

export interface FillSlice {
  readonly clauses: readonly number[]
  /** The position of the last event of the slice. */
  readonly through: number
  readonly facts: readonly ArchivedFact[]
  /** `purges` of the state of the profiles when the slice was read. */
  readonly purges: number
  /** Since when changed profiles are dirty, in milliseconds since the epoch. */
  readonly at: number
}

/**
 * Facts: for each clause that counts events, the events that it counts, by profile. They are kept as long as the clause
 * needs them, also when the archive has removed the events.
 */
export interface Facts {
  /** All clauses. Cheap. */
  clauses(): Promise<readonly FactClause[]>

  /**
   * Adds a clause, or returns the one with this definition. From when it resolves, `Profiles.apply` may name its number:
   * put it while no slice is being applied. Durable when it resolves. Safe to call twice.
   */
  put(clause: {
    readonly definition: string
    readonly keeping: Keeping
    readonly reachesBackTo: number | null
  }): Promise<FactClause>

  /**
   * Adds facts of archived events, and records how far the clauses are filled: all or nothing. A fact that is there already
   * stays. Its profile is dirty then. Resolves to false, and has changed nothing, where a user has been purged since the
   * slice was read. Safe to call twice.
   */
  fill(slice: FillSlice): Promise<boolean>

  /** Removes a clause. Its facts go with the next walk of `prune`. Safe to call twice. */
  remove(clause: number): Promise<void>

  /**
   * Removes facts of some profiles that their clauses do not keep any more, and facts of clauses that are gone. Resolves to the cursor of the next slice,
   * or `null` at the end. Takes a few milliseconds.
   */
  prune(options: { readonly now: number; readonly cursor?: number }): Promise<number | null>
}
