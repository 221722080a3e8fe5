import { sql, type Transaction } from 'kysely'
import type { Postgres } from './postgres.ts'

/** Keeps in mind that the partitions of the days of these events have bytes of rows that this transaction removes. */
export async function markUnerased(
  transaction: Transaction<unknown>,
  eventIds: readonly string[],
): Promise<void> {
  // In one order, so that two transactions wait for each other only once.
  await sql`
    INSERT INTO unerased_days
      SELECT DISTINCT day_of(substr(id, 5, 10)), false FROM unnest(${eventIds}::text[]) AS id ORDER BY 1
      ON CONFLICT DO NOTHING`.execute(transaction)
}

/**
 * The days that are to be rewritten, with the last two: a transaction that failed may have left rows there, which are in no table.
 * What is removed from now on marks its day once more.
 */
export async function beginDays(postgres: Postgres): Promise<readonly number[]> {
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

/** A day is rewritten. */
export async function endDay(postgres: Postgres, day: number): Promise<void> {
  await postgres.run(sql`DELETE FROM unerased_days WHERE day = ${day} AND is_begun`)
}
