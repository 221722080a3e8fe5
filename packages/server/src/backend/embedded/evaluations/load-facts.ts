import type { Json } from '@hookline/protocol'
import type { DatabaseSync } from 'node:sqlite'
import type { Fact } from '../../profiles.ts'
import { readJson } from '../database/rows.ts'

/**
 * The facts of a profile as they pass from thread to thread: an object for each would cost the main thread more than all
 * the rest of an evaluation.
 */
export interface PackedFacts {
  readonly clause: number
  /** `at` and `position` of each, in turn. */
  readonly numbers: Float64Array
  /** `null` where no fact has a value. */
  readonly values: readonly Json[] | null
}

/** A row of `facts` as an array. */
type FactRow = [clause: number, at: number, position: number, value: string | null]

/**
 * Prepares the loading of the facts of profiles: the newest of each clause, as many as the clause keeps. The first function
 * begins a read transaction. It takes the clauses that are loaded: all by default.
 */
export function factLoader(
  db: DatabaseSync,
): (clauses?: readonly number[]) => (profile: number) => readonly PackedFacts[] {
  const kept = db.prepare('SELECT number, keep_most FROM fact_clauses')
  // One walk back through the key. A profile has few facts more than its clauses keep.
  const [all, ofClause] = ['', 'AND clause = ?'].map((only) => {
    const select = db.prepare(
      `SELECT clause, at, position, value FROM facts WHERE profile = ? ${only}
       ORDER BY clause DESC, at DESC, position DESC`,
    )
    select.setReturnArrays(true)
    return select
  })
  return (clauses) => {
    const most = new Map(
      kept.all().map(({ number, keep_most }) => [Number(number), Number(keep_most)]),
    )
    return (profile) => {
      const rows = clauses?.flatMap((clause) => ofClause!.all(profile, clause)) ?? all!.all(profile)
      return packed(rows as unknown as readonly FactRow[], most)
    }
  }
}

function packed(rows: readonly FactRow[], most: ReadonlyMap<number, number>): PackedFacts[] {
  const all: PackedFacts[] = []
  for (let from = 0, to = 0; from < rows.length; from = to) {
    const clause = rows[from]![0]
    while (to < rows.length && rows[to]![0] === clause) to++
    const kept = Math.min(to - from, most.get(clause) ?? 0)
    if (kept > 0) all.push(packedClause(clause, rows.slice(from, from + kept)))
  }
  return all
}

function packedClause(clause: number, rows: readonly FactRow[]): PackedFacts {
  const numbers = new Float64Array(2 * rows.length)
  for (const [index, [, at, position]] of rows.entries()) {
    numbers[2 * index] = at
    numbers[2 * index + 1] = position
  }
  const hasValues = rows.some(([, , , value]) => value !== null)
  const values = rows.map(([, , , value]) => (value === null ? null : (readJson(value) as Json)))
  return { clause, numbers, values: hasValues ? values : null }
}

/** The facts by number of the clause; newest first. */
export function unpacked(all: readonly PackedFacts[]): ReadonlyMap<number, readonly Fact[]> {
  return new Map(
    all.map(({ clause, numbers, values }) => [
      clause,
      Array.from({ length: numbers.length / 2 }, (_, index) => ({
        at: numbers[2 * index]!,
        position: numbers[2 * index + 1]!,
        value: values?.[index] ?? null,
      })),
    ]),
  )
}
