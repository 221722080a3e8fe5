import { sql, type Transaction } from 'kysely'
import { partitionOf } from './days.ts'

/** Whether a day has partitions: it has all of them or none. */
export async function hasDay(transaction: Transaction<unknown>, day: number): Promise<boolean> {
  const { rows } = await sql<{ readonly isThere: boolean }>`
    SELECT to_regclass(${partitionOf('events', day)}) IS NOT NULL AS "isThere"`.execute(transaction)
  return rows[0]!.isThere
}
