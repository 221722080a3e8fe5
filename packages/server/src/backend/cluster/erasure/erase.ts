import { sql, type Transaction } from 'kysely'
import { randomBytes } from 'node:crypto'
import type { Clock } from '../../../util/time/clock.ts'
import { BackendUnavailable } from '../../backend.ts'
import { lock } from '../postgres/locks.ts'
import { type Postgres, REWRITTEN_TABLES } from '../postgres/postgres.ts'
import { DAILY_TABLES, type DailyTable, hasDay, partitionOf, startOf } from '../postgres/days.ts'
import { isLockTimeout } from '../upkeep/partitions.ts'

/** The tables with days that have content of users. */
const WITH_CONTENT = DAILY_TABLES.filter(({ name }) => name === 'events' || name === 'attempts')

/**
 * Rewrites what content of users was removed from: PostgreSQL writes the rows that are there to new files, and removes the old
 * ones with all that was in them. VACUUM would leave the bytes in the free part of each page until other rows come there.
 *
 * A table without days is rewritten in one transaction, and nothing else uses it meanwhile. Of the partitions of days, which may be
 * large, only those are rewritten from which a row was removed, beside what goes on with them (`rewriteDay`). Resolves to whether
 * it reached the end.
 *
 * What stays, out of reach of SQL: the WAL until it is recycled, replicas as far as they lag behind, backups, and the free
 * blocks of the disk.
 */
export async function eraseRemoved(erasing: Erasing): Promise<boolean> {
  const { postgres, signal } = erasing
  if (signal.aborted) return false
  await removeCopies(erasing)
  for (const table of REWRITTEN_TABLES) if (!(await rewriteTable(erasing, table))) return false
  for (const day of await beginDays(postgres)) {
    for (const table of WITH_CONTENT) if (!(await rewriteDay(erasing, table, day))) return false
    await postgres.run(sql`DELETE FROM unerased_days WHERE day = ${day} AND is_begun`)
  }
  return true
}

/**
 * Writes the rows of a table to a new file. VACUUM FULL would also copy what was removed, if any transaction may still see it;
 * this copies what is there. Resolves to whether it did.
 */
async function rewriteTable(erasing: Erasing, name: string): Promise<boolean> {
  const table = sql.id(name)
  const isDone = await whenFree(erasing, name, async (transaction) => {
    await sql`LOCK TABLE ONLY ${table} IN ACCESS EXCLUSIVE MODE`.execute(transaction)
    // From here on, nobody can be in its way.
    await sql`SELECT set_config('lock_timeout', '0', true)`.execute(transaction)
    await sql`CREATE TEMPORARY TABLE kept_rows ON COMMIT DROP AS SELECT * FROM ONLY ${table}`.execute(
      transaction,
    )
    await sql`TRUNCATE ONLY ${table}`.execute(transaction)
    // No row comes or goes: what counts rows must not see it.
    await sql`ALTER TABLE ${table} DISABLE TRIGGER USER`.execute(transaction)
    await sql`INSERT INTO ${table} OVERRIDING SYSTEM VALUE SELECT * FROM kept_rows`.execute(
      transaction,
    )
    await sql`ALTER TABLE ${table} ENABLE TRIGGER USER`.execute(transaction)
    return true
  })
  return isDone ?? false
}

/**
 * The days that are to be rewritten, with the last two: a transaction that failed may have left rows there, which are in no table.
 * What is removed from now on marks its day once more.
 */
async function beginDays(postgres: Postgres): Promise<readonly number[]> {
  return postgres.write(async (transaction) => {
    // Waits for the transactions that have marked a day.
    await sql`LOCK TABLE unerased_days IN SHARE ROW EXCLUSIVE MODE`.execute(transaction)
    await sql`INSERT INTO unerased_days SELECT day, true FROM unerased_days WHERE NOT is_begun
      ON CONFLICT DO NOTHING`.execute(transaction)
    await sql`DELETE FROM unerased_days WHERE NOT is_begun`.execute(transaction)
    const { rows } = await sql<{ readonly day: number }>`
      SELECT day FROM unerased_days
      UNION SELECT floor(extract(epoch FROM now()) / 86400)::int - ago FROM unnest('{0,1}'::int[]) AS ago
      ORDER BY day`.execute(transaction)
    return rows.map(({ day }) => day)
  })
}

/** Keys that one transaction copies. */
const SLICE_KEYS = 2_000
/** Changes that one transaction applies, and those that are left for the last one, when nothing else uses the table. */
const MAX_CHANGES = 2_000
/** How often it catches up with the changes while they are made, before it leaves the rest for later. */
const ROUNDS = 1_000
/** undefined_table */
const UNDEFINED_TABLE = '42P01'

/**
 * Puts a copy in the place of a partition, which has only the rows that are there:
 *
 *     an empty copy, and a trigger that keeps the keys of what changes ─▶ all rows, slice by slice ─▶ what has changed,
 *     again and again, until little is left ─▶ the table is locked: the rest, and the copy takes the place of the partition
 *
 * Only the last step keeps others waiting, for some milliseconds. Resolves to whether it did; true also where there is no such
 * partition any more.
 */
export async function rewriteDay(
  erasing: Erasing,
  table: DailyTable,
  day: number,
): Promise<boolean> {
  const copy = await beginCopy(erasing, table, day)
  if (!copy) return copy === null
  try {
    const isDone = (await copyRows(erasing, copy)) && (await takePlace(erasing, copy))
    if (!isDone) await removeCopies(erasing, copy.name)
    return isDone
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== UNDEFINED_TABLE) throw error
    return await isGone(erasing, copy)
  }
}

/** Copies what is there when it comes to it. Resolves to false where it is told to stop. */
async function copyRows(
  { postgres, signal }: Erasing,
  { table, partition, name }: DayCopy,
): Promise<boolean> {
  const [key, from, to] = [sql.id(table.key), sql.id(partition), sql.id(name)]
  for (let after = ''; !signal.aborted;) {
    const [last] = await postgres.run(sql<{ readonly key: string | null }>`
      SELECT max(${key}) AS key FROM (
        SELECT ${key} FROM ${from} WHERE ${key} > ${after} ORDER BY ${key} LIMIT ${SLICE_KEYS}) AS slice`)
    if (last!.key === null) return true
    await postgres.run(sql`
      INSERT INTO ${to} SELECT * FROM ${from} WHERE ${key} > ${after} AND ${key} <= ${last!.key}`)
    after = last!.key
  }
  return false
}

/** Resolves to false where it is told to stop. */
async function takePlace(erasing: Erasing, copy: DayCopy): Promise<boolean> {
  const { postgres, signal } = erasing
  for (let round = 0; round < ROUNDS && !signal.aborted; round++) {
    const applied = await postgres.write((transaction) =>
      applyChanges(transaction, copy, MAX_CHANGES),
    )
    if (applied === MAX_CHANGES) continue
    const isDone = await whenFree(erasing, copy.table.name, (transaction) =>
      exchange(transaction, copy),
    )
    if (isDone) return true
  }
  if (signal.aborted) return false
  throw new BackendUnavailable(`The table ${copy.partition} changes faster than it is copied.`)
}

/** The last step. False where more is left of the changes than others may wait for. */
async function exchange(transaction: Transaction<unknown>, copy: DayCopy): Promise<boolean> {
  const [parent, partition, rows] = [copy.table.name, copy.partition, copy.name].map((name) =>
    sql.id(name),
  )
  await lock(transaction, 'upkeep')
  await sql`LOCK TABLE ONLY ${parent!} IN ACCESS EXCLUSIVE MODE`.execute(transaction)
  await sql`LOCK TABLE ${partition!} IN ACCESS EXCLUSIVE MODE`.execute(transaction)
  if ((await applyChanges(transaction, copy, MAX_CHANGES)) === MAX_CHANGES) return false
  const [from, to] = [copy.day, copy.day + 1].map((day) => sql.lit(startOf(copy.table.prefix, day)))
  await sql`ALTER TABLE ${parent!} DETACH PARTITION ${partition!}`.execute(transaction)
  await sql`DROP TABLE ${partition!}, ${sql.id(copy.changes)}`.execute(transaction)
  await sql`ALTER TABLE ${rows!} RENAME TO ${partition!}`.execute(transaction)
  await renameIndexes(transaction, copy)
  await sql`ALTER TABLE ${parent!} ATTACH PARTITION ${partition!} FOR VALUES FROM (${from!}) TO (${to!})`.execute(
    transaction,
  )
  await sql`ALTER TABLE ${partition!} DROP CONSTRAINT ${sql.id(OF_DAY)}`.execute(transaction)
  return true
}

/**
 * Copies rows that have changed once more, for at most `limit` changes. Resolves to the number of these changes. The trigger keeps
 * the keys of rows that change after the first statement, so they are copied again.
 */
async function applyChanges(
  transaction: Transaction<unknown>,
  { table, partition, name, changes }: DayCopy,
  limit: number,
): Promise<number> {
  const { rows } = await sql<{ readonly key: string }>`
    DELETE FROM ${sql.id(changes)} WHERE number IN (
      SELECT number FROM ${sql.id(changes)} ORDER BY number LIMIT ${limit})
    RETURNING key`.execute(transaction)
  if (rows.length === 0) return 0
  const keys = [...new Set(rows.map(({ key }) => key))]
  const isChanged = sql`${sql.id(table.key)} = ANY(${keys}::text[])`
  await sql`DELETE FROM ${sql.id(name)} WHERE ${isChanged}`.execute(transaction)
  await sql`INSERT INTO ${sql.id(name)} SELECT * FROM ${sql.id(partition)} WHERE ${isChanged}`.execute(
    transaction,
  )
  return rows.length
}

/** PostgreSQL has named them after the copy. */
async function renameIndexes(
  transaction: Transaction<unknown>,
  { name: before, partition }: DayCopy,
): Promise<void> {
  const { rows } = await sql<{ readonly name: string }>`
    SELECT relname AS name FROM pg_index JOIN pg_class ON oid = indexrelid
    WHERE indrelid = ${partition}::regclass`.execute(transaction)
  for (const { name } of rows)
    await sql`ALTER INDEX ${sql.id(name)} RENAME TO ${sql.id(name.replace(before, partition))}`.execute(
      transaction,
    )
}

/** Whether retention has dropped the partition; otherwise another node has removed the copy, because it erases. */
async function isGone(erasing: Erasing, copy: DayCopy): Promise<boolean> {
  await removeCopies(erasing, copy.name)
  if (!(await erasing.postgres.write((transaction) => hasDay(transaction, copy.day)))) return true
  throw new BackendUnavailable(`Another node rewrites ${copy.partition}.`)
}

/** Begins the names of copies, and of what belongs to them. */
const PREFIX = 'erasing_'

/** The names of a copy. No two copies have the same, so a node whose copy another one has removed can do no harm. */
interface DayCopy {
  readonly table: DailyTable
  readonly day: number
  readonly partition: string
  /** The table that is to take the place of the partition. */
  readonly name: string
  /** The keys of rows that have changed since it began; also the name of the trigger. */
  readonly changes: string
}

/** Bounds that spare attaching the copy from reading all of it. */
const OF_DAY = `${PREFIX}of_day`

/**
 * Makes an empty copy of a partition, and keeps in mind what changes there from now on. `null` where there is no such partition;
 * `undefined` where it is told to stop.
 */
export function beginCopy(
  erasing: Erasing,
  table: DailyTable,
  day: number,
): Promise<DayCopy | null | undefined> {
  return whenFree(erasing, table.name, async (transaction) => {
    await lock(transaction, 'upkeep')
    if (!(await hasDay(transaction, day))) return null
    const name = `${PREFIX}${randomBytes(6).toString('hex')}`
    const copy = {
      table,
      day,
      partition: partitionOf(table.name, day),
      name,
      changes: `${name}_changes`,
    }
    await makeTables(transaction, copy)
    const [changes, key] = [sql.lit(copy.changes), sql.lit(table.key)]
    await sql`CREATE TRIGGER ${sql.id(copy.changes)}
      AFTER INSERT OR UPDATE OR DELETE ON ${sql.id(copy.partition)}
      FOR EACH ROW EXECUTE FUNCTION keep_changed_key(${changes}, ${key})`.execute(transaction)
    return copy
  })
}

async function makeTables(
  transaction: Transaction<unknown>,
  { table, day, partition, name, changes }: DayCopy,
): Promise<void> {
  const [key, rows] = [sql.id(table.key), sql.id(name)]
  await sql`CREATE TABLE ${rows} (LIKE ${sql.id(partition)} INCLUDING ALL)`.execute(transaction)
  await sql`SELECT hide_alike(${name}::regclass, ${table.name}::regclass)`.execute(transaction)
  const [from, to] = [day, day + 1].map((each) => sql.lit(startOf(table.prefix, each)))
  await sql`ALTER TABLE ${rows} ADD CONSTRAINT ${sql.id(OF_DAY)}
    CHECK (${key} >= ${from} AND ${key} < ${to})`.execute(transaction)
  await sql`CREATE TABLE ${sql.id(changes)} (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, key txt NOT NULL)`.execute(transaction)
}

/**
 * Removes copies that are not finished: by default all of them, also those of a node that was killed, or has lost its lease. All
 * that belongs to one goes at once: a copy without its trigger must not take the place of a partition.
 */
export async function removeCopies(erasing: Erasing, prefix = PREFIX): Promise<void> {
  const never = new AbortController().signal
  await whenFree({ ...erasing, signal: never }, 'of a copy', async (transaction) => {
    await lock(transaction, 'upkeep')
    const { rows } = await sql<{ readonly name: string; readonly of: string | null }>`
      SELECT * FROM (
        SELECT tgname::text AS name, relname::text AS of FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
        WHERE relnamespace = current_schema()::regnamespace
        UNION ALL SELECT relname::text, NULL FROM pg_class
        WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r') AS named
      WHERE starts_with(name, ${prefix}) ORDER BY of NULLS LAST`.execute(transaction)
    // A trigger has a table, and a table none.
    for (const { name, of } of rows)
      await (
        of === null
          ? sql`DROP TABLE ${sql.id(name)}`
          : sql`DROP TRIGGER ${sql.id(name)} ON ${sql.id(of)}`
      ).execute(transaction)
  })
}

/** How long a try waits for a table: each later statement on the table waits behind it. */
const WAIT_MS = 150
/** Each fifth try waits longer than `deadlock_timeout`, which is a second: then PostgreSQL ends an autovacuum in its way. */
const LONG_WAIT_MS = 1_500
const LONG_EVERY = 5
/** Tries before it says that the table is in use, and the pause after each: about eight seconds. */
const TRIES = 12
const PAUSE_MS = 250

interface Erasing {
  readonly postgres: Postgres
  readonly clock: Clock
  /** Aborts when it is to stop. */
  readonly signal: AbortSignal
}

type Work<T> = (transaction: Transaction<unknown>) => Promise<T>

/**
 * Runs a transaction that needs a table for itself, again where others have it for longer. Resolves to `undefined` where it
 * is told to stop.
 */
async function whenFree<T>(
  { postgres, clock, signal }: Erasing,
  table: string,
  work: Work<T>,
): Promise<T | undefined> {
  for (let tries = 1; !signal.aborted; tries++) {
    const waitMs = tries % LONG_EVERY === 0 ? LONG_WAIT_MS : WAIT_MS
    try {
      return await postgres.writeSlowly(async (transaction) => {
        await sql`SELECT set_config('lock_timeout', ${`${waitMs}ms`}, true)`.execute(transaction)
        return work(transaction)
      })
    } catch (error) {
      if (!isLockTimeout(error)) throw error
      if (tries === TRIES)
        throw new BackendUnavailable(`The table ${table} is being read at length, as for a copy.`, {
          cause: error,
        })
    }
    await new Promise<void>((resolve) => clock.after(PAUSE_MS, resolve))
  }
  return undefined
}
