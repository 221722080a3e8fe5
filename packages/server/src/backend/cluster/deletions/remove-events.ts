import { sql, type Transaction } from 'kysely'
import { isOfEvents } from '../postgres/days.ts'

interface RemovedEvents {
  readonly events: ReadonlySet<string>
  readonly deliveries: number
}

/** Removes events, then their records. Waits for transactions that record their deliveries. Returns the removed events. */
export async function removeEvents(
  transaction: Transaction<unknown>,
  ids: readonly string[],
): Promise<RemovedEvents> {
  // Otherwise the rows count as missing (postgres/schema.sql).
  await sql`SELECT set_config('hookline.removal', 'on', true)`.execute(transaction)
  const events = await sql<{ readonly id: string }>`
    DELETE FROM events WHERE id = ANY(${ids}::text[]) RETURNING id`.execute(transaction)
  const deliveries = await removeDeliveries(transaction, ids)
  await sql`
    WITH waiting AS (DELETE FROM waiting_parts
        WHERE queue = 'deliveries' AND delivery_id = ANY(${deliveries}::text[])),
      quarantined AS (DELETE FROM quarantine WHERE id = ANY(${[...ids, ...deliveries]}::text[])),
      failed AS (DELETE FROM attempts WHERE delivery_id = ANY(${deliveries}::text[]))
    DELETE FROM declined WHERE event_id = ANY(${ids}::text[])`.execute(transaction)
  await markUnerased(transaction, ids)
  return { events: new Set(events.rows.map(({ id }) => id)), deliveries: deliveries.length }
}

async function removeDeliveries(
  transaction: Transaction<unknown>,
  eventIds: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ readonly id: string }>`
    DELETE FROM deliveries WHERE ${isOfEvents(eventIds)} RETURNING id`.execute(transaction)
  return rows.map(({ id }) => id)
}

/** Marks the days of these events for erasure. */
export async function markUnerased(
  transaction: Transaction<unknown>,
  eventIds: readonly string[],
): Promise<void> {
  // Sorted to avoid deadlocks.
  await sql`
    INSERT INTO unerased_days
      SELECT DISTINCT day_of(substr(id, 5, 10)), false FROM unnest(${eventIds}::text[]) AS id ORDER BY 1
      ON CONFLICT DO NOTHING`.execute(transaction)
}
