import { rawSql, sql } from './sql.ts'
import type { Tx } from './store.ts'
import type { QueueName } from './stored-parts.ts'

/** The lanes of deliveries without parts. No other lanes have these numbers. */
export const UNSPLIT_LANES: Readonly<Record<QueueName, number>> = { deliveries: 0, notices: -1 }

/**
 * Makes deliveries without pending parts wait until the engine gives them some. Every claim of them ends. On SQLite, triggers
 * have already done so.
 */
export async function waitForParts(
  tx: Tx,
  queue: QueueName,
  ids: readonly string[],
): Promise<void> {
  await tx.run(sql`DELETE FROM waiting_parts WHERE delivery_id ${tx.dialect.among(ids)}`)
  await tx.run(sql`
    INSERT INTO waiting_parts (queue, lane, delivery_id, due_at)
    SELECT ${queue}, ${UNSPLIT_LANES[queue]}, id, due_at FROM ${rawSql(queue)}
    WHERE id ${tx.dialect.among(ids)}`)
}
