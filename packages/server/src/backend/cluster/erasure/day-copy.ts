import { randomBytes } from 'node:crypto'
import { type RawBuilder, sql, type Transaction } from 'kysely'
import { lock } from '../postgres/locks.ts'
import { type DailyTable, partitionOf, startOf } from '../upkeep/days.ts'
import { hasDay } from '../upkeep/has-day.ts'
import { type Erasing, whenFree } from './when-free.ts'

/** Begins the names of copies, and of what belongs to them. */
const PREFIX = 'erasing_'

/** The names of a copy. No two copies have the same, so a node whose copy another one has removed can do no harm. */
export interface DayCopy {
  readonly table: DailyTable
  readonly day: number
  readonly partition: string
  /** The table that is to take the place of the partition. */
  readonly name: string
  /** The keys of rows that have changed since it began; also the name of the trigger. */
  readonly changes: string
}

/** Bounds that spare attaching the copy from reading all of it. */
export const OF_DAY = `${PREFIX}of_day`

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

/** Removes a copy that is not finished. */
export async function removeCopy(erasing: Erasing, copy: DayCopy): Promise<void> {
  await remove(erasing, sql`starts_with(name, ${copy.name})`)
}

/** Removes all copies that were not finished: also those of a node that was killed, or has lost its lease. */
export async function removeCopies(erasing: Erasing): Promise<void> {
  await remove(erasing, sql`starts_with(name, ${PREFIX})`)
}

interface Left {
  readonly name: string
  /** The table of a trigger; `null` for a table. */
  readonly of: string | null
}

/** All at once: a copy without its trigger must not take the place of a partition. */
async function remove(erasing: Erasing, isWanted: RawBuilder<unknown>): Promise<void> {
  const never = new AbortController().signal
  await whenFree({ ...erasing, signal: never }, 'of a copy', async (transaction) => {
    await lock(transaction, 'upkeep')
    const { rows } = await sql<Left>`
      SELECT * FROM (
        SELECT tgname::text AS name, relname::text AS of FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
        WHERE relnamespace = current_schema()::regnamespace
        UNION ALL SELECT relname::text, NULL FROM pg_class
        WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r') AS named
      WHERE ${isWanted} ORDER BY of NULLS LAST`.execute(transaction)
    for (const { name, of } of rows)
      await (
        of === null
          ? sql`DROP TABLE ${sql.id(name)}`
          : sql`DROP TRIGGER ${sql.id(name)} ON ${sql.id(of)}`
      ).execute(transaction)
  })
}
