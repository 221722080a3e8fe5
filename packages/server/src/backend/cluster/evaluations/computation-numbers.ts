import { type RawBuilder, sql } from 'kysely'
import type { Connection } from '../postgres/postgres.ts'

/** The number of a computation in SQL; NULL where it has none. */
export function numberOf(computationId: string): RawBuilder<unknown> {
  return sql`(SELECT number FROM computations WHERE id = ${computationId})`
}

/**
 * The numbers of computations, by which tables name them. One without a number gets one. Until the transaction ends, none of
 * them is forgotten, and no other transaction changes their results. Lock profiles before.
 */
export async function lockedNumbers(
  transaction: Connection,
  computationIds: Iterable<string>,
): Promise<ReadonlyMap<string, number>> {
  const ids = [...new Set(computationIds)].toSorted()
  for (;;) {
    const { rows } = await sql<{ readonly id: string; readonly number: number }>`
      SELECT id, number FROM computations WHERE id = ANY (${ids}::text[])
      ORDER BY number FOR NO KEY UPDATE`.execute(transaction)
    const numbers = new Map(rows.map(({ id, number }) => [id, number]))
    const missing = ids.filter((id) => !numbers.has(id))
    if (missing.length === 0) return numbers
    await sql`INSERT INTO computations (id) SELECT unnest(${missing}::text[]) ON CONFLICT DO NOTHING`.execute(
      transaction,
    )
  }
}
