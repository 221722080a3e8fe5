import type { Delivery } from '@hookline/protocol'
import type { DatabaseSync } from 'node:sqlite'
import { countedOf } from '../../store/notices.ts'
import { missingRowsCounter } from '../database/missing-rows.ts'
import { isWaiting, type QueueRow, type RecordedRows, recordRows } from './write-delivery-queue.ts'

/** What `recordDeliveries` writes of a delivery. */
type DeliveryRow = readonly [
  id: string,
  eventId: string,
  destinationId: string,
  state: string,
  rounds: number,
  firstDueAt: number,
  dueAt: number | null,
  webhooks: string,
  replayId: string | null,
  isWaiting: number,
]

export function deliveryRowOf(delivery: Delivery, webhooks: string): DeliveryRow {
  const { id, eventId, destinationId, state, rounds, firstDueAt, dueAt, replayId } = delivery
  const end = [firstDueAt, dueAt, webhooks, replayId ?? null, isWaiting(delivery)] as const
  return [id, eventId, destinationId, state, rounds, ...end]
}

/**
 * Keeps new deliveries, and updates those that have not ended. One that has ended keeps its state, and gets the results
 * of its other webhooks. A replay or a retry by hand changes `first_due_at`: a record of the time before changes nothing after it.
 * A record after which there is no such delivery counts as missing, unless its event was purged.
 */
export function recordDeliveries(db: DatabaseSync): (rows: RecordedRows) => void {
  const isKept = keptFinder(db)
  const countMissing = missingRowsCounter(db)
  const record = recordRows(
    db,
    `INSERT INTO deliveries
       (id, event_id, destination_id, state, rounds, first_due_at, due_at, webhooks, replay_id, is_waiting)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET state = excluded.state, rounds = excluded.rounds, due_at = excluded.due_at,
       webhooks = excluded.webhooks, is_waiting = excluded.is_waiting
     WHERE deliveries.first_due_at = excluded.first_due_at AND deliveries.rounds <= excluded.rounds
       AND (deliveries.state IN ('pending', 'held') OR deliveries.state = excluded.state)`,
  )
  return ({ records, ...rows }) => {
    const { changed, unchanged } = record(rows)
    countMissing({ deliveries: records - changed - unchanged.filter(isKept).length })
  }
}

/** Prepares the question whether a record that changed nothing has lost nothing. */
function keptFinder(db: DatabaseSync): (row: QueueRow) => boolean {
  const find = db.prepare(
    `SELECT EXISTS (SELECT 1 FROM deliveries WHERE id = ?) OR
       NOT EXISTS (SELECT 1 FROM events WHERE id = ?) AS kept`,
  )
  return ([id, eventId]) => find.get(id!, eventId!)!['kept'] === 1
}

/** A row of what `recordNotices` writes. `webhooks`: its column of that name. */
export function noticeRowOf(delivery: Delivery, webhooks: string): QueueRow {
  const { id, state, rounds, dueAt } = delivery
  const { attempts, endedAt } = countedOf(delivery)
  return [id, state, rounds, dueAt, endedAt, attempts, webhooks, isWaiting(delivery)]
}

/** As `recordDeliveries`, but only for notices that exist. */
export function recordNotices(db: DatabaseSync): (rows: RecordedRows) => void {
  const record = recordRows(
    db,
    `UPDATE notices SET state = ?2, rounds = ?3, due_at = ?4, ended_at = ?5, attempts = ?6, webhooks = ?7,
       is_waiting = ?8
     WHERE id = ?1 AND (state IN ('pending', 'held') OR state = ?2) AND rounds <= ?3`,
  )
  return (rows) => void record(rows)
}
