import { sql, type Transaction } from 'kysely'
import type { StreamState } from '../jetstream/log-stream.ts'
import type { Connection } from '../postgres/postgres.ts'
import { DAILY_TABLES, type DailyTable, isOfDay, partitionOf, startOf } from '../postgres/days.ts'
import { DAY_MS } from '../../days.ts'
import { limitLockWaits } from './partitions.ts'
import { EVENT_NAMES_CURSOR } from '../../store/event-names.ts'

/**
 * The number of removed events, or why the day was not dropped: `blocked` if one of its events is
 * beyond the `RemovalBounds`, or if a table is in use; `too_many_waiting` if too many waiting events
 * would have to be moved.
 */
export type DropResult = number | 'blocked' | 'too_many_waiting'

const MAX_EVENTS = 1_000
const MAX_ROWS = 20_000

const [EVENTS, DECLINED, DELIVERIES, ATTEMPTS] = DAILY_TABLES

/** Drops a day, and moves waiting deliveries to the default partitions. Requires the lock `upkeep`. May reject (`isLockTimeout`). */
export async function dropDay(
  transaction: Transaction<unknown>,
  day: number,
  bounds: RemovalBounds,
): Promise<DropResult> {
  if (!(await isReached(transaction, day, bounds))) return 'blocked'
  // Checked before other transactions have to wait, and again when none can change it.
  if ((await readWaiting(transaction, day)) === undefined) return 'too_many_waiting'
  await limitLockWaits(transaction)
  const parents = sql.join(DAILY_TABLES.map(({ name }) => sql`ONLY ${sql.id(name)}`))
  await sql`LOCK TABLE ${parents} IN ACCESS EXCLUSIVE MODE`.execute(transaction)
  const waiting = await readWaiting(transaction, day)
  if (waiting === undefined) return 'too_many_waiting'
  if (!(await isReached(transaction, day, bounds))) return 'blocked'
  const events = await detach(transaction, day)
  await moveToDefault(transaction, day, waiting)
  await endQuarantine(transaction, day)
  for (const { name } of DAILY_TABLES)
    await sql`DROP TABLE ${sql.id(partitionOf(name, day))}`.execute(transaction)
  await sql`DELETE FROM unerased_days WHERE day = ${day}`.execute(transaction)
  return events - waiting.length
}

async function isReached(
  transaction: Transaction<unknown>,
  day: number,
  { through, ackedUntil }: RemovalBounds,
): Promise<boolean> {
  if (ackedUntil < (day + 1) * DAY_MS) return false
  const { rows } = await sql<{ readonly last: number | null }>`
    SELECT max(seq) AS last FROM ${sql.id(partitionOf(EVENTS.name, day))}`.execute(transaction)
  return (rows[0]!.last ?? 0) <= through
}

/** Returns the events with waiting deliveries; `undefined` if there are too many. */
async function readWaiting(
  transaction: Transaction<unknown>,
  day: number,
): Promise<readonly string[] | undefined> {
  const events = await sql<{ readonly event_id: string }>`
    SELECT DISTINCT event_id FROM (SELECT event_id FROM ${sql.id(partitionOf(DELIVERIES.name, day))}
      WHERE is_waiting LIMIT ${MAX_ROWS}) AS waiting`.execute(transaction)
  if (events.rows.length > MAX_EVENTS) return undefined
  const ids = events.rows.map((row) => row.event_id)
  return (await countRows(transaction, day, ids)) > MAX_ROWS ? undefined : ids
}

/** Counts deliveries of the events, and attempts of notices of the day, up to the limit. */
async function countRows(
  transaction: Transaction<unknown>,
  day: number,
  ids: readonly string[],
): Promise<number> {
  const { rows } = await sql<{ readonly count: number }>`
    SELECT count(*) AS count FROM (
      SELECT FROM ${sql.id(partitionOf(DELIVERIES.name, day))} WHERE event_id = ANY(${ids}::text[])
      UNION ALL
      SELECT FROM ${sql.id(partitionOf(ATTEMPTS.name, day))} WHERE delivery_id IN (${noticesOf(day)})
      LIMIT ${MAX_ROWS + 1}) AS found`.execute(transaction)
  return rows[0]!.count
}

/** Attempts of notices are in the same partitions, and are kept as long as their deletion. */
function noticesOf(day: number) {
  return sql`SELECT id FROM notices WHERE ${isOfDay(DELIVERIES, day)}`
}

/** Detaches the partitions and removes their tallies. Returns the number of their events. */
async function detach(transaction: Transaction<unknown>, day: number): Promise<number> {
  for (const { name } of DAILY_TABLES)
    await sql`ALTER TABLE ${sql.id(name)} DETACH PARTITION ${sql.id(partitionOf(name, day))}`.execute(
      transaction,
    )
  const { rows } = await sql<{ readonly events: number | null }>`
    WITH removed AS (DELETE FROM tallies WHERE day = ${day} RETURNING kind, rows)
    SELECT sum(rows)::bigint AS events FROM removed WHERE kind = 'events'`.execute(transaction)
  return rows[0]!.events ?? 0
}

/** Moves the kept rows. They are inserted into the parents, so that they are tallied. */
async function moveToDefault(
  transaction: Transaction<unknown>,
  day: number,
  eventIds: readonly string[],
): Promise<void> {
  const isOfEvents = sql`event_id = ANY(${eventIds}::text[])`
  const deliveries = sql`SELECT id FROM ${sql.id(partitionOf(DELIVERIES.name, day))} WHERE ${isOfEvents}`
  const conditions = [
    [EVENTS, sql`id = ANY(${eventIds}::text[])`],
    [DECLINED, isOfEvents],
    [DELIVERIES, isOfEvents],
    [ATTEMPTS, sql`delivery_id IN (${deliveries} UNION ALL ${noticesOf(day)})`],
  ] as const
  for (const [{ name }, condition] of conditions)
    await sql`INSERT INTO ${sql.id(name)} SELECT * FROM ${sql.id(partitionOf(name, day))} WHERE ${condition}`.execute(
      transaction,
    )
}

/** Removes quarantine items of removed events and deliveries of the day. */
async function endQuarantine(transaction: Transaction<unknown>, day: number): Promise<void> {
  const removal = ({ name, key, prefix }: DailyTable) => sql`
    DELETE FROM quarantine WHERE id >= ${startOf(prefix, day)} AND id < ${startOf(prefix, day + 1)}
      AND NOT EXISTS (SELECT FROM ${sql.id(name)} AS kept WHERE kept.${sql.id(key)} = quarantine.id)`
  await removal(EVENTS).execute(transaction)
  await sql`${removal(DELIVERIES)} AND NOT EXISTS (SELECT FROM notices WHERE notices.id = quarantine.id)`.execute(
    transaction,
  )
}

export interface RemovalBounds {
  /**
   * The seq that every follower has reached, except the one that counts event names; `Infinity`
   * without followers.
   */
  readonly through: number
  /** Every event before this position in the log is acked. */
  readonly ackedBefore: number
  /** Every event received before this time is acked. */
  readonly ackedUntil: number
}

/** Followers and the consumer only move forward, so the result stays valid. */
export async function readRemovalBounds(
  db: Connection,
  log: () => Promise<StreamState>,
): Promise<RemovalBounds> {
  const [{ undecided, ackedBefore }, { rows }] = await Promise.all([
    log(),
    // Ignores the cursor of the event names: if it lags, days must still be dropped.
    sql<{ readonly through: number | null }>`
      SELECT min(through) AS through FROM cursors WHERE name <> ${EVENT_NAMES_CURSOR}`.execute(db),
  ])
  return {
    through: rows[0]!.through ?? Infinity,
    ackedBefore,
    ackedUntil: undecided.oldestAt ?? Infinity,
  }
}
