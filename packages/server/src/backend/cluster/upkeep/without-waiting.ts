import { timeOfId } from '@hookline/protocol'
import { sql, type Transaction } from 'kysely'
import { boundAt } from './days.ts'

/** Those of the events that have no delivery with a part that waits. */
export async function withoutWaiting(
  transaction: Transaction<unknown>,
  eventIds: readonly string[],
): Promise<readonly string[]> {
  if (eventIds.length === 0) return []
  // A delivery has the time of its event in its id: few partitions are looked at.
  const times = eventIds.map(timeOfId)
  const [from, to] = [boundAt('msg', Math.min(...times)), boundAt('msg', Math.max(...times) + 1)]
  const { rows } = await sql<{ readonly event_id: string }>`
    SELECT DISTINCT event_id FROM deliveries
    WHERE event_id = ANY(${eventIds}::text[]) AND is_waiting AND id >= ${from} AND id < ${to}`.execute(
    transaction,
  )
  const waiting = new Set(rows.map((row) => row.event_id))
  return eventIds.filter((id) => !waiting.has(id))
}
