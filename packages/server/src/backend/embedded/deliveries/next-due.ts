import type { Claims } from './claims.ts'
import type { Statements } from '../database/statements.ts'

/** For each destination that has pending, unclaimed rows in `table`: when the next of them is due. */
export function nextDue(
  table: 'deliveries' | 'notices',
  statements: Statements,
  claims: Claims,
): ReadonlyMap<string, number> {
  const next = new Map<string, number>()
  for (const { id: destinationId } of statements.all(destinationsWithPending(table), [])) {
    const claimed = claims.of(String(destinationId))
    const rows = statements.all(
      `SELECT id, due_at FROM ${table} WHERE state = 'pending' AND destination_id = ?
       ORDER BY due_at LIMIT ?`,
      [destinationId!, claimed.size + 1],
    )
    const row = rows.find(({ id }) => !claimed.has(String(id)))
    if (row) next.set(String(destinationId), Number(row['due_at']))
  }
  return next
}

/** One step of the index for each destination, however many rows wait: SELECT DISTINCT reads them all. */
function destinationsWithPending(table: string): string {
  return `
    WITH RECURSIVE next (id) AS (
      SELECT MIN(destination_id) FROM ${table} WHERE state = 'pending'
      UNION ALL
      SELECT (SELECT MIN(destination_id) FROM ${table} WHERE state = 'pending' AND destination_id > next.id)
      FROM next WHERE next.id IS NOT NULL
    )
    SELECT id FROM next WHERE id IS NOT NULL`
}
