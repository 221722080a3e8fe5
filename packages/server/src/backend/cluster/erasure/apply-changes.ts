import { sql, type Transaction } from 'kysely'
import type { DayCopy } from './day-copy.ts'

/**
 * Copies rows once more that have changed, at most of `most` changes. Returns of how many. What changes after the first
 * statement is kept in mind by the trigger, so it comes again.
 */
export async function applyChanges(
  transaction: Transaction<unknown>,
  { table, partition, name, changes }: DayCopy,
  most: number,
): Promise<number> {
  const { rows } = await sql<{ readonly key: string }>`
    DELETE FROM ${sql.id(changes)} WHERE number IN (
      SELECT number FROM ${sql.id(changes)} ORDER BY number LIMIT ${most})
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
