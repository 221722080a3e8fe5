import type { DatabaseSync } from 'node:sqlite'
import type { Missing } from '../../upkeep.ts'

/** A row of `declined`. */
export type DeclinedRow = readonly [
  eventId: string,
  destinationId: string,
  reason: string,
  since: number | null,
]

/** Keeps for which destinations events were declined, and why. */
export function keepDeclined(db: DatabaseSync): (rows: readonly DeclinedRow[]) => void {
  const insert = db.prepare(
    'INSERT OR IGNORE INTO declined (event_id, destination_id, reason, since) VALUES (?, ?, ?, ?)',
  )
  return (rows) => {
    for (const row of rows) insert.run(...row)
  }
}

/**
 * The condition on the deliveries of the events of one moment, that of the event `?1`. The id of a delivery begins with the time
 * in the id of its event, so that the primary key finds them. All calls of a batch have the same time.
 */
export const DELIVERIES_OF_MOMENT = `id >= 'msg_' || substr(?1, 5, 10) AND id < 'msg_' || substr(?1, 5, 10) || '~'`

/** The part of the id of an event that `DELIVERIES_OF_MOMENT` looks for. */
export function momentOf(eventId: string): string {
  return eventId.slice(4, 14)
}

/**
 * Prepares the function that removes an event with everything that belongs to it, and returns what is gone:
 * the triggers have counted it as missing, and the caller corrects that. A caller that knows the ids of its deliveries gives them: to find them takes long in a large batch.
 */
export function eventRemoval(
  db: DatabaseSync,
): (id: string, deliveryIds?: readonly string[]) => Missing {
  const findDeliveries = db.prepare(
    `SELECT id FROM deliveries WHERE ${DELIVERIES_OF_MOMENT} AND event_id = ?1`,
  )
  const find = (id: string): string[] => findDeliveries.all(id).map((row) => String(row['id']))
  const removeAttempts = db.prepare('DELETE FROM attempts WHERE delivery_id = ?')
  const removeQuarantined = db.prepare('DELETE FROM quarantine WHERE id = ?')
  const removeDecisions = db.prepare('DELETE FROM declined WHERE event_id = ?1')
  const removeEvent = db.prepare('DELETE FROM events WHERE id = ?1')
  const removeDelivery = db.prepare('DELETE FROM deliveries WHERE id = ?')
  return (id, deliveryIds = find(id)) => {
    removeQuarantined.run(id)
    for (const each of deliveryIds) {
      removeAttempts.run(each)
      removeQuarantined.run(each)
    }
    const decisions = Number(removeDecisions.run(id).changes)
    const events = Number(removeEvent.run(id).changes)
    for (const each of deliveryIds) removeDelivery.run(each)
    return { decisions, events, deliveries: deliveryIds.length }
  }
}
