import { sql, type Transaction } from 'kysely'
import { BackendUnavailable } from '../../backend.ts'
import { lock } from '../postgres/locks.ts'
import { type DailyTable, startOf } from '../upkeep/days.ts'
import { hasDay } from '../upkeep/has-day.ts'
import { beginCopy, type DayCopy, OF_DAY, removeCopy } from './day-copy.ts'
import { type Erasing, whenFree } from './when-free.ts'

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
    if (!isDone) await removeCopy(erasing, copy)
    return isDone
  } catch (error) {
    if (!isUndefinedTable(error)) throw error
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
  await removeCopy(erasing, copy)
  if (!(await erasing.postgres.write((transaction) => hasDay(transaction, copy.day)))) return true
  throw new BackendUnavailable(`Another node rewrites ${copy.partition}.`)
}

function isUndefinedTable(error: unknown): boolean {
  return (error as { readonly code?: unknown }).code === UNDEFINED_TABLE
}
