import { sql, type Transaction } from 'kysely'
import { lock } from '../postgres/locks.ts'
import type { Postgres } from '../postgres/postgres.ts'
import {
  DAILY_TABLES,
  type DailyTable,
  dayOfPartition,
  hasDay,
  isOfDay,
  partitionOf,
  startOf,
} from '../postgres/days.ts'

export interface Days {
  readonly today: number
  /** The days with partitions, in order. */
  readonly days: readonly number[]
}

export async function readDays(postgres: Postgres): Promise<Days> {
  const rows = await postgres.run(sql<{ readonly today: number; readonly name: string }>`
    SELECT floor(extract(epoch FROM now()) / 86400)::int AS today, relname AS name
    FROM pg_inherits JOIN pg_class ON oid = inhrelid WHERE inhparent = 'events'::regclass`)
  const days = rows.flatMap(({ name }) => dayOfPartition(name) ?? [])
  return { today: rows[0]!.today, days: days.toSorted((a, b) => a - b) }
}

/** Creates the partitions from yesterday to `ahead` days from now. If a table is in use for too long, the next call does the rest. */
export async function createFuturePartitions(postgres: Postgres, ahead: number): Promise<void> {
  const { today, days } = await readDays(postgres)
  for (let day = today - 1; day <= today + ahead; day++) {
    if (days.includes(day)) continue
    try {
      await postgres.write((transaction) => createDay(transaction, day))
    } catch (error) {
      if (isLockTimeout(error)) return
      throw error
    }
  }
}

const MAX_MOVED = 5_000

/** Creates the partitions of a day if necessary, and moves its rows there. Rejects if a table is in use (`isLockTimeout`). */
export async function createDay(transaction: Transaction<unknown>, day: number): Promise<void> {
  await lock(transaction, 'upkeep')
  if (await hasDay(transaction, day)) return
  // With more rows, the day stays in the default partitions: writers would wait too long.
  for (const table of DAILY_TABLES) if (await hasMany(transaction, table, day)) return
  for (const { name } of DAILY_TABLES) {
    const partition = partitionOf(name, day)
    await sql`CREATE TABLE ${sql.id(partition)} (LIKE ${sql.id(name)} INCLUDING ALL)`.execute(
      transaction,
    )
    await sql`SELECT hide_alike(${partition}::regclass, ${name}::regclass)`.execute(transaction)
  }
  // Writers wait only from here on. Creating a table, and attaching it later, does not block writes to the parent.
  await limitLockWaits(transaction)
  const defaults = DAILY_TABLES.map(({ name }) => sql.id(`${name}_default`))
  await sql`LOCK TABLE ${sql.join(defaults)} IN ACCESS EXCLUSIVE MODE`.execute(transaction)
  for (const table of DAILY_TABLES) await attach(transaction, table, day)
}

async function hasMany(
  transaction: Transaction<unknown>,
  table: DailyTable,
  day: number,
): Promise<boolean> {
  const { rows } = await sql<{ readonly count: number }>`
    SELECT count(*) AS count FROM (SELECT FROM ${sql.id(`${table.name}_default`)}
      WHERE ${isOfDay(table, day)} LIMIT ${MAX_MOVED + 1}) AS found`.execute(transaction)
  return rows[0]!.count > MAX_MOVED
}

async function attach(
  transaction: Transaction<unknown>,
  table: DailyTable,
  day: number,
): Promise<void> {
  const [parent, partition] = [sql.id(table.name), sql.id(partitionOf(table.name, day))]
  await sql`
    WITH moved AS (DELETE FROM ${sql.id(`${table.name}_default`)} WHERE ${isOfDay(table, day)} RETURNING *)
    INSERT INTO ${partition} SELECT * FROM moved`.execute(transaction)
  const [from, to] = [startOf(table.prefix, day), startOf(table.prefix, day + 1)]
  await sql`ALTER TABLE ${parent} ATTACH PARTITION ${partition}
    FOR VALUES FROM (${sql.lit(from)}) TO (${sql.lit(to)})`.execute(transaction)
}

/** How long a change of partitions may wait for a table, as later statements on the table wait behind it. */
const MAX_LOCK_WAIT_MS = 150
/** lock_not_available */
const LOCK_TIMEOUT = '55P03'

/** From now on, statements of the transaction fail instead of waiting a long time for a lock. */
export async function limitLockWaits(transaction: Transaction<unknown>): Promise<void> {
  await sql`SELECT set_config('lock_timeout', ${`${MAX_LOCK_WAIT_MS}ms`}, true)`.execute(
    transaction,
  )
}

/** Whether a transaction failed with a lock timeout, and so changed nothing. */
export function isLockTimeout(error: unknown): boolean {
  const { cause } = error as { readonly cause?: { readonly code?: unknown } }
  return cause?.code === LOCK_TIMEOUT
}
