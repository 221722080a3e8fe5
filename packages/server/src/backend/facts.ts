import type { Json } from '@hookline/protocol'
import type { ProfileId } from './profiles.ts'

/** Which facts of a clause are kept: as many as its conditions need. */
export interface FactRetention {
  /** The maximum age in milliseconds; `null`: unlimited. */
  readonly maxAgeMs: number | null
  readonly maxCount: number
}

export interface FactClause {
  readonly number: number
  /** A canonical text. Equal clauses share their facts. */
  readonly definition: string
  readonly retention: FactRetention
  /** The log position when it was added: `fill` adds earlier events, `Profiles.apply` later ones. */
  readonly fillThrough: number
  /** The position up to which it is filled; `fillThrough` when it is complete. */
  readonly filledThrough: number
  readonly reachesBackTo: number | null
}

export interface ArchivedFact {
  readonly clause: number
  readonly space: string
  /** The ids of its event. The first one with a profile counts. */
  readonly ids: readonly ProfileId[]
  readonly at: number
  readonly position: number
  readonly value: Json
}

export interface FillSlice {
  readonly clauses: readonly number[]
  readonly through: number
  readonly facts: readonly ArchivedFact[]
  readonly purges: number
  readonly at: number
}

/** The events that clauses count, by profile. They are kept as long as the clause needs them, even if the archive removes them. */
export interface Facts {
  clauses(): Promise<readonly FactClause[]>

  /**
   * Adds a clause, or returns the one with this definition, which is filled again if its retention
   * has to be extended. Call it while no slice is being applied.
   */
  put(clause: Pick<FactClause, 'definition' | 'retention' | 'reachesBackTo'>): Promise<FactClause>

  /**
   * Adds facts, marks their profiles as dirty, and records how far the clauses are filled: all or nothing. Resolves to false without
   * changes if a user has been purged since the slice was read.
   */
  fill(slice: FillSlice): Promise<boolean>

  /** Removes a clause. `prune` removes its facts. */
  remove(clause: number): Promise<void>

  /** Removes facts beyond their clause's age or count limit. Resolves to the cursor of the next slice, `null` at the end. */
  prune(options: { readonly now: number; readonly cursor?: number }): Promise<number | null>
}

/** Covers both: the longer time and the larger number. */
export function mergedRetention(a: FactRetention, b: FactRetention): FactRetention {
  const maxAgeMs =
    a.maxAgeMs === null || b.maxAgeMs === null ? null : Math.max(a.maxAgeMs, b.maxAgeMs)
  return { maxAgeMs, maxCount: Math.max(a.maxCount, b.maxCount) }
}
