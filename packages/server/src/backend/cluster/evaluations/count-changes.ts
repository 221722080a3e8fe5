import { sql } from 'kysely'
import type { ChangedResult } from '../../evaluations.ts'
import type { Connection } from '../postgres/postgres.ts'

const HOUR_MS = 60 * 60 * 1000

interface Change extends Pick<ChangedResult, 'value' | 'since'> {
  /** The number of the computation. */
  readonly computation: number
}

/** Counts changes of results, by computation and hour. */
export async function countChanges(
  transaction: Connection,
  changes: readonly Change[],
): Promise<void> {
  const counts = countsOf(changes)
  await sql`
    INSERT INTO computation_changes (computation, start, entered, went) SELECT * FROM unnest(
      ${counts.map(({ computation }) => computation)}::bigint[],
      ${counts.map(({ start }) => start)}::bigint[], ${counts.map(({ entered }) => entered)}::bigint[],
      ${counts.map(({ left }) => left)}::bigint[])
    ON CONFLICT (computation, start) DO UPDATE
    SET entered = computation_changes.entered + excluded.entered, went = computation_changes.went + excluded.went`.execute(
    transaction,
  )
}

interface Counts {
  readonly computation: number
  readonly start: number
  entered: number
  left: number
}

function countsOf(changes: readonly Change[]): readonly Counts[] {
  const all = new Map<string, Counts>()
  for (const { computation, value, since } of changes) {
    const start = Math.floor(since / HOUR_MS) * HOUR_MS
    const key = `${computation} ${start}`
    let counts = all.get(key)
    if (counts === undefined) all.set(key, (counts = { computation, start, entered: 0, left: 0 }))
    if (value === undefined) counts.left++
    else counts.entered++
  }
  return [...all.values()]
}
