import type { DatabaseSync } from 'node:sqlite'
import { missingRowsCounter } from '../database/missing-rows.ts'

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
 * The condition on the deliveries of the event `?1`. The id of a delivery begins with the time in the id of its event,
 * so that the primary key finds them.
 */
export const DELIVERIES_OF_EVENT = `id >= 'msg_' || substr(?1, 5, 10) AND id < 'msg_' || substr(?1, 5, 10) || '~' AND event_id = ?1`

/**
 * Prepares the function that removes an event with everything that belongs to it, and returns how many
 * deliveries it had.
 */
export function eventRemoval(db: DatabaseSync): (id: string) => number {
  const ofItsDeliveries = `IN (SELECT id FROM deliveries WHERE ${DELIVERIES_OF_EVENT})`
  const removals = [
    `DELETE FROM attempts WHERE delivery_id ${ofItsDeliveries}`,
    `DELETE FROM quarantine WHERE id = ?1 OR id ${ofItsDeliveries}`,
  ].map((sql) => db.prepare(sql))
  const removeDecisions = db.prepare('DELETE FROM declined WHERE event_id = ?1')
  const removeEvent = db.prepare('DELETE FROM events WHERE id = ?1')
  const removeDeliveries = db.prepare(`DELETE FROM deliveries WHERE ${DELIVERIES_OF_EVENT}`)
  // The triggers have counted them as missing.
  const countMissing = missingRowsCounter(db)
  return (id) => {
    for (const removal of removals) removal.run(id)
    const decisions = Number(removeDecisions.run(id).changes)
    const events = Number(removeEvent.run(id).changes)
    const deliveries = Number(removeDeliveries.run(id).changes)
    countMissing({ events: -events, decisions: -decisions, deliveries: -deliveries })
    return deliveries
  }
}
