import type { DatabaseSync } from 'node:sqlite'
import type { MissingCounts } from '../../upkeep.ts'
import { missingRowsCounter } from '../database/missing-rows.ts'

/** Event id, destination id, reason, since. */
export type DeclinedRow = readonly [string, string, string, number | null]

export function storeDeclined(db: DatabaseSync): (rows: readonly DeclinedRow[]) => void {
  const insert = db.prepare(
    'INSERT OR IGNORE INTO declined (event_id, destination_id, reason, since) VALUES (?, ?, ?, ?)',
  )
  return (rows) => {
    for (const row of rows) insert.run(...row)
  }
}

/** Selects deliveries whose ids begin with the timestamp of event `?1`. */
export const DELIVERIES_AT_TIME = `id >= 'msg_' || substr(?1, 5, 10) AND id < 'msg_' || substr(?1, 5, 10) || '~'`

export function timePrefixOf(eventId: string): string {
  return eventId.slice(4, 14)
}

/**
 * Prepares the removal of an event and its dependent rows. Callers that know the delivery ids pass
 * them, because finding them is slow.
 */
export function eventRemoval(
  db: DatabaseSync,
): (id: string, deliveryIds?: readonly string[]) => Pick<MissingCounts, 'events' | 'deliveries'> {
  const findDeliveries = db.prepare(
    `SELECT id FROM deliveries WHERE ${DELIVERIES_AT_TIME} AND event_id = ?1`,
  )
  const find = (id: string): string[] => findDeliveries.all(id).map((row) => String(row['id']))
  const removeAttempts = db.prepare('DELETE FROM attempts WHERE delivery_id = ?')
  const removeQuarantined = db.prepare('DELETE FROM quarantine WHERE id = ?')
  const removeDecisions = db.prepare('DELETE FROM declined WHERE event_id = ?1')
  const removeEvent = db.prepare('DELETE FROM events WHERE id = ?1')
  const removeDelivery = db.prepare('DELETE FROM deliveries WHERE id = ?')
  const countMissing = missingRowsCounter(db)
  return (id, deliveryIds = find(id)) => {
    removeQuarantined.run(id)
    for (const each of deliveryIds) {
      removeAttempts.run(each)
      removeQuarantined.run(each)
    }
    const decisions = Number(removeDecisions.run(id).changes)
    const events = Number(removeEvent.run(id).changes)
    for (const each of deliveryIds) removeDelivery.run(each)
    const deliveries = deliveryIds.length
    countMissing({ decisions: -decisions, events: -events, deliveries: -deliveries })
    return { events, deliveries }
  }
}
