import { sql } from 'kysely'
import type { Connection } from '../postgres/postgres.ts'

/** Rows that one call removes. */
const ROWS = 2_000

/** What belongs to a computation: the tables, and the column that tells its rows apart. */
const TABLES = [
  ['results', 'profile'],
  ['announced', 'user_id'],
  ['listed_users', 'user_id'],
  ['computation_changes', 'start'],
] as const

/** Removes some of what belongs to a computation that is gone. Returns whether there may be more. */
export async function forgetComputation(
  transaction: Connection,
  computationId: string,
): Promise<boolean> {
  await sql`DELETE FROM syncs WHERE computation = ${computationId}`.execute(transaction)
  // Locked: no evaluation that is being committed adds a row behind the last one.
  const { rows } = await sql<{ readonly number: number }>`
    SELECT number FROM computations WHERE id = ${computationId} FOR UPDATE`.execute(transaction)
  const [computation] = rows
  if (computation === undefined) return false
  for (const [table, column] of TABLES)
    if (await removeSome(transaction, { table, column, ...computation })) return true
  await sql`DELETE FROM computations WHERE number = ${computation.number}`.execute(transaction)
  return false
}

async function removeSome(
  transaction: Connection,
  {
    table,
    column,
    number,
  }: { readonly table: string; readonly column: string; readonly number: number },
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    DELETE FROM ${sql.id(table)} WHERE computation = ${number} AND ${sql.id(column)} IN (
      SELECT ${sql.id(column)} FROM ${sql.id(table)} WHERE computation = ${number} LIMIT ${ROWS})`.execute(
    transaction,
  )
  return numAffectedRows > 0n
}
