import { idFrom, timeOfId } from '@hookline/protocol'
import { sql, type Transaction } from 'kysely'
import { removeOnPurpose } from '../postgres/removal.ts'
import { markUnerased } from '../postgres/unerased-days.ts'

interface Removed {
  readonly events: ReadonlySet<string>
  readonly deliveries: number
}

/**
 * Removes events with decisions, deliveries, attempts, and their other records. Returns the events that no other node had removed.
 * The events go first: a transaction that records something of them has locked their rows, so that is committed when they
 * are gone.
 */
export async function removeEvents(
  transaction: Transaction<unknown>,
  ids: readonly string[],
): Promise<Removed> {
  await removeOnPurpose(transaction)
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

/** The end of the least id of a time. */
const ZEROS = new Uint8Array(10)

/** A delivery has the time of its event in its id, so few partitions are looked at. */
async function removeDeliveries(
  transaction: Transaction<unknown>,
  eventIds: readonly string[],
): Promise<string[]> {
  const times = eventIds.map(timeOfId)
  const least = idFrom('msg', Math.min(...times), ZEROS)
  const end = idFrom('msg', Math.max(...times) + 1, ZEROS)
  const { rows } = await sql<{ readonly id: string }>`
    DELETE FROM deliveries WHERE event_id = ANY(${eventIds}::text[]) AND id >= ${least} AND id < ${end}
    RETURNING id`.execute(transaction)
  return rows.map(({ id }) => id)
}
