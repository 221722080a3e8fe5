import { sql, type Transaction } from 'kysely'
import { randomBytes } from 'node:crypto'
import type { Clock } from '../../../util/time/clock.ts'
import { sleep } from '../../../util/time/sleep.ts'
import { BackendUnavailableError } from '../../backend.ts'
import { DAILY_TABLES, type DailyTable, hasDay, partitionOf, startOf } from '../postgres/days.ts'
import { lock } from '../postgres/locks.ts'
import { type Postgres, REWRITTEN_TABLES } from '../postgres/postgres.ts'
import { isLockTimeout } from '../upkeep/partitions.ts'

interface Erasing {
  readonly postgres: Postgres
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** The daily tables with user content. */
const WITH_CONTENT = DAILY_TABLES.filter(({ name }) => name === 'events' || name === 'attempts')

/**
 * Erases the bytes of removed rows: PostgreSQL writes the remaining rows to new files and deletes
 * the old ones. VACUUM would leave the bytes in free space until other rows overwrite them.
 * Resolves to false if `signal` aborted before the end.
 *
 * A daily partition may be large: it stays in use while it is rewritten (`rewriteDay`), which happens
 * only if rows were removed from it or it belongs to one of the last two days. Any other table is
 * rewritten in one transaction that locks it.
 *
 * Out of reach of SQL: the WAL until it is recycled, lagging replicas, backups, and free blocks of the disk.
 */
export async function eraseRemoved(erasing: Erasing): Promise<boolean> {
  const { postgres, signal } = erasing
  try {
    signal.throwIfAborted()
    await removeCopies(erasing)
    for (const table of REWRITTEN_TABLES) await rewriteTable(erasing, table)
    for (const day of await beginDays(postgres)) {
      for (const table of WITH_CONTENT) await rewriteDay(erasing, table, day)
      await postgres.run(sql`DELETE FROM unerased_days WHERE day = ${day} AND is_begun`)
    }
    return true
  } catch (error) {
    if (signal.aborted && error === signal.reason) return false
    throw error
  }
}

/** Writes the rows in a table to a new file. VACUUM FULL would keep removed rows that an open transaction can still see. */
async function rewriteTable(erasing: Erasing, name: string): Promise<void> {
  const table = sql.id(name)
  await whenFree(erasing, name, async (transaction) => {
    await sql`LOCK TABLE ONLY ${table} IN ACCESS EXCLUSIVE MODE`.execute(transaction)
    // Triggers must not count the rows again.
    await sql`
      SET LOCAL lock_timeout = 0;
      CREATE TEMPORARY TABLE kept_rows ON COMMIT DROP AS SELECT * FROM ONLY ${table};
      TRUNCATE ONLY ${table};
      ALTER TABLE ${table} DISABLE TRIGGER USER;
      INSERT INTO ${table} OVERRIDING SYSTEM VALUE SELECT * FROM kept_rows;
      ALTER TABLE ${table} ENABLE TRIGGER USER`.execute(transaction)
  })
}

/** Returns the days to rewrite. The last two are always included: failed transactions may have left dead rows there. */
function beginDays(postgres: Postgres): Promise<readonly number[]> {
  return postgres.write(async (transaction) => {
    // Waits for transactions that have marked a day. Later ones mark their days again.
    await sql`
      LOCK TABLE unerased_days IN SHARE ROW EXCLUSIVE MODE;
      INSERT INTO unerased_days SELECT day, true FROM unerased_days WHERE NOT is_begun ON CONFLICT DO NOTHING;
      DELETE FROM unerased_days WHERE NOT is_begun`.execute(transaction)
    const { rows } = await sql<{ readonly day: number }>`
      SELECT day FROM unerased_days
      UNION SELECT floor(extract(epoch FROM now()) / 86400)::int - ago FROM unnest('{0,1}'::int[]) AS ago
      ORDER BY day`.execute(transaction)
    return rows.map(({ day }) => day)
  })
}

const SLICE_KEYS = 2_000
/**
 * The maximum number of changes that one transaction applies. The last transaction, which locks the
 * table, has the same limit.
 */
const MAX_CHANGES = 2_000
/** The maximum number of transactions that apply changes before the attempt fails. */
const MAX_ROUNDS = 1_000
const UNDEFINED_TABLE = '42P01'

/**
 * Replaces a partition with a copy of its rows. Does nothing if the partition does not exist.
 *
 *     create an empty copy, and a trigger that records the keys of changed rows ─▶ copy all rows, slice by slice ─▶ copy changed
 *     rows until few are left ─▶ lock the table, copy the last ones, and exchange the partition for the copy
 *
 * Only the last step blocks other transactions, for a few milliseconds.
 */
export async function rewriteDay(erasing: Erasing, table: DailyTable, day: number): Promise<void> {
  const copy = await beginCopy(erasing, table, day)
  if (copy === undefined) return
  try {
    await copyRows(erasing, copy)
    await exchange(erasing, copy)
  } catch (error) {
    const isMissing = (error as { readonly code?: unknown }).code === UNDEFINED_TABLE
    if (isMissing || erasing.signal.aborted) await removeCopies(erasing, copy.name)
    if (!isMissing) throw error
    // Either retention has dropped the partition, or another node, which is erasing now, has removed the copy.
    if (await erasing.postgres.write((transaction) => hasDay(transaction, day)))
      throw new BackendUnavailableError(`Another node is rewriting ${copy.partition}.`)
  }
}

async function copyRows(
  { postgres, signal }: Erasing,
  { table, partition, name }: DayCopy,
): Promise<void> {
  const [key, from, to] = [sql.id(table.key), sql.id(partition), sql.id(name)]
  for (let after = ''; ;) {
    signal.throwIfAborted()
    const [last] = await postgres.run(sql<{ readonly key: string | null }>`
      SELECT max(${key}) AS key FROM (
        SELECT ${key} FROM ${from} WHERE ${key} > ${after} ORDER BY ${key} LIMIT ${SLICE_KEYS}) AS slice`)
    if (last!.key === null) return
    await postgres.run(sql`
      INSERT INTO ${to} SELECT * FROM ${from} WHERE ${key} > ${after} AND ${key} <= ${last!.key}`)
    after = last!.key
  }
}

async function exchange(erasing: Erasing, copy: DayCopy): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    erasing.signal.throwIfAborted()
    const applied = await erasing.postgres.write((transaction) => applyChanges(transaction, copy))
    if (applied === MAX_CHANGES) continue
    const work = (transaction: Transaction<unknown>) => exchangeIn(transaction, copy)
    if (await whenFree(erasing, copy.table.name, work)) return
  }
  throw new BackendUnavailableError(
    `The table ${copy.partition} changes faster than it can be copied.`,
  )
}

/** Resolves to false if too many changes are left. */
async function exchangeIn(transaction: Transaction<unknown>, copy: DayCopy): Promise<boolean> {
  const [parent, partition, rows] = [copy.table.name, copy.partition, copy.name].map((name) =>
    sql.id(name),
  ) as [Identifier, Identifier, Identifier]
  await lock(transaction, 'upkeep')
  await sql`
    LOCK TABLE ONLY ${parent} IN ACCESS EXCLUSIVE MODE;
    LOCK TABLE ${partition} IN ACCESS EXCLUSIVE MODE`.execute(transaction)
  if ((await applyChanges(transaction, copy)) === MAX_CHANGES) return false
  const [from, to] = boundsOf(copy)
  await sql`
    ALTER TABLE ${parent} DETACH PARTITION ${partition};
    DROP TABLE ${partition}, ${sql.id(copy.changes)};
    ALTER TABLE ${rows} RENAME TO ${partition}`.execute(transaction)
  await renameIndexes(transaction, copy)
  await sql`
    ALTER TABLE ${parent} ATTACH PARTITION ${partition} FOR VALUES FROM (${from}) TO (${to});
    ALTER TABLE ${partition} DROP CONSTRAINT ${sql.id(DAY_CONSTRAINT)}`.execute(transaction)
  return true
}

type Identifier = ReturnType<typeof sql.id>

/**
 * Copies changed rows again. Resolves to the number of changes. Rows that change in the meantime
 * are recorded again.
 */
async function applyChanges(
  transaction: Transaction<unknown>,
  { table, partition, name, changes }: DayCopy,
): Promise<number> {
  const { rows } = await sql<{ readonly key: string }>`
    DELETE FROM ${sql.id(changes)} WHERE number IN (
      SELECT number FROM ${sql.id(changes)} ORDER BY number LIMIT ${MAX_CHANGES})
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

/** Renames the copy's indexes to the names of the partition's indexes. */
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

/** Prefix of the names of copies. */
const PREFIX = 'erasing_'
/** With this constraint, PostgreSQL attaches a copy without reading it. */
const DAY_CONSTRAINT = `${PREFIX}of_day`

/** Names are unique: a node whose copy was removed by another node cannot affect a later copy. */
interface DayCopy {
  readonly table: DailyTable
  readonly day: number
  readonly partition: string
  /** The table that replaces the partition. */
  readonly name: string
  /** The name of the table with the keys of changed rows, and of the trigger. */
  readonly changes: string
}

/** Creates an empty copy of a partition, and records changes from now on; `undefined` if the partition does not exist. */
export function beginCopy(
  erasing: Erasing,
  table: DailyTable,
  day: number,
): Promise<DayCopy | undefined> {
  return whenFree(erasing, table.name, async (transaction) => {
    await lock(transaction, 'upkeep')
    if (!(await hasDay(transaction, day))) return undefined
    const name = `${PREFIX}${randomBytes(6).toString('hex')}`
    const changes = `${name}_changes`
    const copy = { table, day, partition: partitionOf(table.name, day), name, changes }
    const [key, [from, to]] = [sql.id(table.key), boundsOf(copy)]
    await sql`
      CREATE TABLE ${sql.id(name)} (LIKE ${sql.id(copy.partition)} INCLUDING ALL);
      SELECT hide_alike(${sql.lit(name)}::regclass, ${sql.lit(table.name)}::regclass);
      ALTER TABLE ${sql.id(name)} ADD CONSTRAINT ${sql.id(DAY_CONSTRAINT)} CHECK (${key} >= ${from} AND ${key} < ${to});
      CREATE TABLE ${sql.id(changes)} (number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, key txt NOT NULL);
      CREATE TRIGGER ${sql.id(changes)} AFTER INSERT OR UPDATE OR DELETE ON ${sql.id(copy.partition)}
        FOR EACH ROW EXECUTE FUNCTION keep_changed_key(${sql.lit(changes)}, ${sql.lit(table.key)})`.execute(
      transaction,
    )
    return copy
  })
}

function boundsOf({ table, day }: DayCopy) {
  return [sql.lit(startOf(table.prefix, day)), sql.lit(startOf(table.prefix, day + 1))] as const
}

/** Removes unfinished copies with their triggers in one transaction: by default all, including copies of a killed node. */
export async function removeCopies(erasing: Erasing, prefix = PREFIX): Promise<void> {
  const { signal } = new AbortController()
  await whenFree({ ...erasing, signal }, 'of a copy', async (transaction) => {
    await lock(transaction, 'upkeep')
    const { rows } = await sql<{ readonly name: string; readonly table: string | null }>`
      SELECT * FROM (
        SELECT tgname::text AS name, relname::text AS "table" FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
        WHERE relnamespace = current_schema()::regnamespace
        UNION ALL SELECT relname::text, NULL FROM pg_class
        WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r') AS named
      WHERE starts_with(name, ${prefix}) ORDER BY "table" NULLS LAST`.execute(transaction)
    for (const { name, table } of rows) {
      const drop =
        table === null
          ? sql`DROP TABLE ${sql.id(name)}`
          : sql`DROP TRIGGER ${sql.id(name)} ON ${sql.id(table)}`
      await drop.execute(transaction)
    }
  })
}

/** How long an attempt waits for a lock: other statements on the table queue behind it. */
const WAIT_MS = 150
/** Every fifth attempt exceeds `deadlock_timeout` (1 s), after which PostgreSQL cancels an autovacuum that blocks it. */
const LONG_WAIT_MS = 1_500
const LONG_EVERY = 5
/** All attempts together take about seven seconds. */
const MAX_ATTEMPTS = 12
const PAUSE_MS = 250

/** Runs a transaction that locks a table, and retries it while other transactions use the table. */
async function whenFree<T>(
  { postgres, clock, signal }: Erasing,
  table: string,
  work: (transaction: Transaction<unknown>) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    signal.throwIfAborted()
    const waitMs = attempt % LONG_EVERY === 0 ? LONG_WAIT_MS : WAIT_MS
    try {
      return await postgres.writeSlowly(async (transaction) => {
        await sql`SET LOCAL lock_timeout = ${sql.lit(waitMs)}`.execute(transaction)
        return work(transaction)
      })
    } catch (cause) {
      if (!isLockTimeout(cause)) throw cause
      if (attempt === MAX_ATTEMPTS)
        throw new BackendUnavailableError(`The table ${table} is locked by a long read.`, { cause })
    }
    await sleep(clock, PAUSE_MS, signal)
  }
}
