import { sql, type Transaction } from 'kysely'
import type { StreamState } from '../jetstream/log-stream.ts'
import type { Connection } from '../postgres/postgres.ts'
import {
  DAILY_TABLES,
  type DailyTable,
  DAY_MS,
  isOfDay,
  partitionOf,
  startOf,
} from '../postgres/days.ts'
import { limitLockWaits } from './partitions.ts'

/** The result of dropping a day. */
export type DropResult =
  | { readonly kind: 'dropped'; readonly removed: number }
  /** A follower of the archive or the consumer of the log has not reached all of its events. */
  | { readonly kind: 'not reached' }
  /** So much has to stay that writers would wait too long for moving it. */
  | { readonly kind: 'much stays' }

/** Events that are moved out of a day, and other rows that are. */
const MOST_EVENTS = 1_000
const MOST_ROWS = 20_000

const [EVENTS, DECLINED, DELIVERIES, ATTEMPTS] = DAILY_TABLES

/**
 * Drops the partitions of a day. What waits goes to the default partitions. Ends with an error where a table is in use: it changes
 * nothing then (`isLockTimeout`). The caller holds the lock `upkeep`.
 */
export async function dropDay(
  transaction: Transaction<unknown>,
  day: number,
  reach: Reach,
): Promise<DropResult> {
  if (!(await isReached(transaction, day, reach))) return { kind: 'not reached' }
  // Read once before other transactions have to wait, and again when no other one can change it.
  if ((await readKept(transaction, day)) === undefined) return { kind: 'much stays' }
  await limitLockWaits(transaction)
  const parents = sql.join(DAILY_TABLES.map(({ name }) => sql`ONLY ${sql.id(name)}`))
  await sql`LOCK TABLE ${parents} IN ACCESS EXCLUSIVE MODE`.execute(transaction)
  const kept = await readKept(transaction, day)
  if (kept === undefined) return { kind: 'much stays' }
  if (!(await isReached(transaction, day, reach))) return { kind: 'not reached' }
  const events = await takeOut(transaction, day)
  await moveBack(transaction, day, kept)
  await endQuarantine(transaction, day)
  for (const { name } of DAILY_TABLES)
    await sql`DROP TABLE ${sql.id(partitionOf(name, day))}`.execute(transaction)
  await sql`DELETE FROM unerased_days WHERE day = ${day}`.execute(transaction)
  return { kind: 'dropped', removed: events - kept.length }
}

async function isReached(
  transaction: Transaction<unknown>,
  day: number,
  { through, ackedUntil }: Reach,
): Promise<boolean> {
  if (ackedUntil < (day + 1) * DAY_MS) return false
  const { rows } = await sql<{ readonly last: number | null }>`
    SELECT max(seq) AS last FROM ${sql.id(partitionOf(EVENTS.name, day))}`.execute(transaction)
  return (rows[0]!.last ?? 0) <= through
}

/** The events that stay because a delivery of them waits; `undefined` for too many. */
async function readKept(
  transaction: Transaction<unknown>,
  day: number,
): Promise<readonly string[] | undefined> {
  const events = await sql<{ readonly event_id: string }>`
    SELECT DISTINCT event_id FROM (SELECT event_id FROM ${sql.id(partitionOf(DELIVERIES.name, day))}
      WHERE is_waiting LIMIT ${MOST_ROWS}) AS waiting`.execute(transaction)
  if (events.rows.length > MOST_EVENTS) return undefined
  const ids = events.rows.map((row) => row.event_id)
  return (await rowsOf(transaction, day, ids)) > MOST_ROWS ? undefined : ids
}

/** How many deliveries the events have, and attempts the notices of the day: at most one more than may be moved. */
async function rowsOf(
  transaction: Transaction<unknown>,
  day: number,
  ids: readonly string[],
): Promise<number> {
  const { rows } = await sql<{ readonly count: number }>`
    SELECT count(*) AS count FROM (
      SELECT FROM ${sql.id(partitionOf(DELIVERIES.name, day))} WHERE event_id = ANY(${ids}::text[])
      UNION ALL
      SELECT FROM ${sql.id(partitionOf(ATTEMPTS.name, day))} WHERE delivery_id IN (${noticesOf(day)})
      LIMIT ${MOST_ROWS + 1}) AS found`.execute(transaction)
  return rows[0]!.count
}

/** Attempts of notices are kept with those of deliveries, for as long as their deletion. */
function noticesOf(day: number) {
  return sql`SELECT id FROM notices WHERE ${isOfDay(DELIVERIES, day)}`
}

/** Detaches the partitions, and forgets what was tallied of them. Returns how many events they have. */
async function takeOut(transaction: Transaction<unknown>, day: number): Promise<number> {
  for (const { name } of DAILY_TABLES)
    await sql`ALTER TABLE ${sql.id(name)} DETACH PARTITION ${sql.id(partitionOf(name, day))}`.execute(
      transaction,
    )
  const { rows } = await sql<{ readonly events: number | null }>`
    WITH gone AS (DELETE FROM tallies WHERE day = ${day} RETURNING kind, rows)
    SELECT sum(rows)::bigint AS events FROM gone WHERE kind = 'events'`.execute(transaction)
  return rows[0]!.events ?? 0
}

/** Moves what stays through the parents, so that it is tallied. */
async function moveBack(
  transaction: Transaction<unknown>,
  day: number,
  kept: readonly string[],
): Promise<void> {
  const deliveries = sql`SELECT id FROM ${sql.id(partitionOf(DELIVERIES.name, day))} WHERE event_id = ANY(${kept}::text[])`
  const stays: readonly (readonly [DailyTable, ReturnType<typeof noticesOf>])[] = [
    [EVENTS, sql`id = ANY(${kept}::text[])`],
    [DECLINED, sql`event_id = ANY(${kept}::text[])`],
    [DELIVERIES, sql`event_id = ANY(${kept}::text[])`],
    [ATTEMPTS, sql`delivery_id IN (${deliveries} UNION ALL ${noticesOf(day)})`],
  ]
  for (const [{ name }, condition] of stays)
    await sql`INSERT INTO ${sql.id(name)} SELECT * FROM ${sql.id(partitionOf(name, day))} WHERE ${condition}`.execute(
      transaction,
    )
}

/** Ends the quarantine of events and deliveries that were of the day and are gone. */
async function endQuarantine(transaction: Transaction<unknown>, day: number): Promise<void> {
  const isGone = ({ name, key, prefix }: DailyTable) => sql`
    DELETE FROM quarantine WHERE id >= ${startOf(prefix, day)} AND id < ${startOf(prefix, day + 1)}
      AND NOT EXISTS (SELECT FROM ${sql.id(name)} AS kept WHERE kept.${sql.id(key)} = quarantine.id)`
  await isGone(EVENTS).execute(transaction)
  await sql`${isGone(DELIVERIES)} AND NOT EXISTS (SELECT FROM notices WHERE notices.id = quarantine.id)`.execute(
    transaction,
  )
}

/** How far retention may go. */
export interface Reach {
  /** The seq that every follower of the archive has reached; `Infinity` where there is no follower. */
  readonly through: number
  /** Everything that is before this position of the log is acked. */
  readonly ackedBefore: number
  /** Everything that was received before this time is acked. */
  readonly ackedUntil: number
}

/** Followers and the consumer only go forward, so what this returns stays true. */
export async function readReach(db: Connection, log: () => Promise<StreamState>): Promise<Reach> {
  const [{ undecided, ackedBefore }, { rows }] = await Promise.all([
    log(),
    sql<{ readonly through: number | null }>`SELECT min(through) AS through FROM cursors`.execute(
      db,
    ),
  ])
  return {
    through: rows[0]!.through ?? Infinity,
    ackedBefore,
    ackedUntil: undecided.oldestAt ?? Infinity,
  }
}
