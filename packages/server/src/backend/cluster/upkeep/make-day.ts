import { sql, type Transaction } from 'kysely'
import { lock } from '../postgres/locks.ts'
import { DAILY_TABLES, type DailyTable, partitionOf, startOf } from './days.ts'
import { hasDay } from './has-day.ts'
import { isOfDay } from './is-of-day.ts'
import { limitLockWaits } from './lock-waits.ts'

/** Rows of a table that may be moved from its default partition to a new one. */
const MOST_MOVED = 5_000

/** Makes the partitions of a day, unless another node has. Ends with an error where a table is in use (`isLockTimeout`). */
export async function makeDay(transaction: Transaction<unknown>, day: number): Promise<void> {
  await lock(transaction, 'upkeep')
  if (await hasDay(transaction, day)) return
  // The day stays in the default partitions where writers would wait too long for moving it.
  for (const table of DAILY_TABLES) if (await hasMany(transaction, table, day)) return
  for (const { name } of DAILY_TABLES) {
    const partition = partitionOf(name, day)
    await sql`CREATE TABLE ${sql.id(partition)} (LIKE ${sql.id(name)} INCLUDING ALL)`.execute(
      transaction,
    )
    await sql`SELECT hide_alike(${partition}::regclass, ${name}::regclass)`.execute(transaction)
  }
  // Writers wait only from here on: making a table first and then attaching it does not lock the parent against them.
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
      WHERE ${isOfDay(table, day)} LIMIT ${MOST_MOVED + 1}) AS found`.execute(transaction)
  return rows[0]!.count > MOST_MOVED
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
