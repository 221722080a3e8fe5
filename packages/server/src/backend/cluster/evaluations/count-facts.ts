import type { CountOperator } from '@hookline/protocol'
import { type RawBuilder, sql } from 'kysely'
import type { PlannedCount } from '../../evaluations.ts'
import type { Outcome } from './condition-outcome.ts'

/** The facts that a clause counts: how many are in its window, and when some of them happened. */
export interface Counted {
  /** Up to one more than the clause compares with. */
  readonly count: number
  /** Of each fact of `leavingOf` that is there, in milliseconds since the epoch. */
  readonly leaving: readonly number[]
}

/** How many facts are read at most in place of counted: the times of the newest tell everything, in one look at the index. */
const MOST_READ = 20

/**
 * Counts the facts of the profile `p.id` in PostgreSQL: as a list of the times of the newest, or where the clause compares with
 * a larger number, with the count first.
 */
export function countedColumn(planned: PlannedCount, now: number): RawBuilder<unknown> {
  const facts = sql`FROM facts WHERE profile = p.id AND clause = ${planned.clause} ${windowOf(planned, now)}`
  if (isRead(planned))
    return sql`(SELECT coalesce(json_agg(at), '[]') FROM (
      SELECT at ${facts} ORDER BY at DESC LIMIT ${planned.count.n + 1}) AS newest)`
  const count = sql`(SELECT count(*) FROM (SELECT ${facts} LIMIT ${planned.count.n + 1}) AS counted)`
  const leaving = leavingOf(planned).map(
    (offset) => sql`(SELECT at ${facts} ORDER BY at DESC LIMIT 1 OFFSET ${offset})`,
  )
  return sql`json_build_array(${sql.join([count, ...leaving])})`
}

function isRead({ count: { n } }: PlannedCount): boolean {
  return n < MOST_READ
}

/** What a column of `countedColumn` says. */
export function countedIn(column: unknown, planned: PlannedCount): Counted {
  if (isRead(planned)) return countedAt(column as readonly number[], planned)
  const [count, ...leaving] = column as readonly [number, ...(readonly (number | null)[])]
  return { count, leaving: leaving.filter((at) => at !== null) }
}

/** Counts facts that are in memory. */
export function countedAmong(
  times: readonly number[],
  planned: PlannedCount,
  now: number,
): Counted {
  const { from, to } = boundsOf(planned, now)
  const counted = times.filter((at) => at >= from && at < to).toSorted((a, b) => b - a)
  return countedAt(counted, planned)
}

/** Of the times of facts in the window, the newest first. */
function countedAt(times: readonly number[], planned: PlannedCount): Counted {
  return {
    count: times.length,
    leaving: leavingOf(planned).flatMap((offset) => times[offset] ?? []),
  }
}

/** The outcome of a clause that has counted these facts. */
export function countOutcome(
  { count: { op, n }, withinMs }: PlannedCount,
  { count, leaving }: Counted,
): Outcome {
  const next = withinMs === undefined ? Infinity : Math.min(...leaving.map((at) => at + withinMs))
  return { holds: COUNT_TESTS[op](count, n), next }
}

const COUNT_TESTS: Readonly<Record<CountOperator, (count: number, n: number) => boolean>> = {
  '==': (count, n) => count === n,
  '!=': (count, n) => count !== n,
  '<': (count, n) => count < n,
  '<=': (count, n) => count <= n,
  '>': (count, n) => count > n,
  '>=': (count, n) => count >= n,
}

/** Which facts, counted from the newest, change the verdict when they leave a sliding window. */
function leavingOf({ withinMs, count: { op, n } }: PlannedCount): readonly number[] {
  if (withinMs === undefined) return []
  const offsets = op === '>=' || op === '<' ? [n - 1] : op === '>' || op === '<=' ? [n] : [n - 1, n]
  return offsets.filter((offset) => offset >= 0)
}

function windowOf(planned: PlannedCount, now: number): RawBuilder<unknown> {
  const { from, to } = boundsOf(planned, now)
  return sql`AND at >= ${bigintOf(from)}::bigint AND at < ${bigintOf(to)}::bigint`
}

function boundsOf({ withinMs, between }: PlannedCount, now: number): { from: number; to: number } {
  if (between !== undefined) return { from: between[0], to: between[1] }
  return { from: withinMs === undefined ? -Infinity : now - withinMs + 1, to: Infinity }
}

function bigintOf(ms: number): number {
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, ms))
}
