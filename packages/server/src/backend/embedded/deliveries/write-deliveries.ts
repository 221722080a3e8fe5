import type { Delivery } from '@hookline/protocol'
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { countedOf } from '../../store/notices.ts'
import { missingRowsCounter } from '../database/missing-rows.ts'
import type { RecordedDelivery } from '../../deliveries.ts'
import { hasUnfinished, type StoredParts } from '../../store/stored-parts.ts'

export function deliveryRowOf(delivery: Delivery, webhooks: string): QueueRow {
  const { id, eventId, destinationId, state, attemptCount, firstDueAt, dueAt, replayId } = delivery
  const end = [firstDueAt, dueAt, webhooks, replayId ?? null, Number(hasUnfinished(delivery))]
  return [id, eventId, destinationId, state, attemptCount, ...end]
}

/**
 * Stores new deliveries and updates unfinished ones (`DeliveryQueue.record`). If a delivery is still not stored afterwards
 * although its event is, it counts as missing.
 */
export function recordDeliveries(db: DatabaseSync): (rows: RecordedRows) => void {
  const isLost = db.prepare(
    `SELECT NOT EXISTS (SELECT 1 FROM deliveries WHERE id = ?)
       AND EXISTS (SELECT 1 FROM events WHERE id = ?) AS lost`,
  )
  const countMissing = missingRowsCounter(db)
  const record = recordRows(
    db,
    `INSERT INTO deliveries
       (id, event_id, destination_id, state, attempt_count, first_due_at, due_at, webhooks, replay_id, is_waiting)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET state = excluded.state, attempt_count = excluded.attempt_count, due_at = excluded.due_at,
       webhooks = excluded.webhooks, is_waiting = excluded.is_waiting
     WHERE deliveries.first_due_at = excluded.first_due_at AND deliveries.attempt_count <= excluded.attempt_count
       AND (deliveries.state IN ('pending', 'held') OR deliveries.state = excluded.state)`,
  )
  return (rows) => {
    const lost = record(rows).filter(([id, eventId]) => isLost.get(id!, eventId!)!['lost'] === 1)
    countMissing({ deliveries: lost.length })
  }
}

export function noticeRowOf(delivery: Delivery, webhooks: string): QueueRow {
  const { id, state, attemptCount, dueAt } = delivery
  const { attempts, endedAt } = countedOf(delivery)
  return [
    id,
    state,
    attemptCount,
    dueAt,
    endedAt,
    attempts,
    webhooks,
    Number(hasUnfinished(delivery)),
  ]
}

/** Like `recordDeliveries`, for existing notices only. */
export function recordNotices(db: DatabaseSync): (rows: RecordedRows) => void {
  const record = recordRows(
    db,
    `UPDATE notices SET state = ?2, attempt_count = ?3, due_at = ?4, ended_at = ?5, attempts = ?6, webhooks = ?7,
       is_waiting = ?8
     WHERE id = ?1 AND (state IN ('pending', 'held') OR state = ?2) AND attempt_count <= ?3`,
  )
  return (rows) => void record(rows)
}

/** A delivery as posted to the writer thread: flat, because nested objects are slow to copy. */
export type QueueRow = readonly SQLInputValue[]

type AttemptRow = readonly [deliveryId: string, id: string, hasBody: 0 | 1, document: string]

interface RecordedRows {
  readonly deliveries: readonly QueueRow[]
  readonly attempts: readonly AttemptRow[]
}

/**
 * Successful attempts are in `webhooks` of the delivery, and have a row in `attempts` only if they
 * have a response body.
 */
export function recordedRowsOf(
  records: readonly RecordedDelivery[],
  parts: StoredParts,
  rowOf: (delivery: Delivery, webhooks: string) => QueueRow,
): RecordedRows {
  return {
    deliveries: records.map(({ delivery }) => rowOf(delivery, parts.textOf(delivery))),
    attempts: records.flatMap(({ delivery: { id, destinationId }, attempts }) =>
      attempts
        .filter(({ outcome, body }) => outcome !== 'delivered' || body !== undefined)
        .map((attempt): AttemptRow => {
          const document = parts.attemptText(destinationId, attempt)
          return [id, attempt.id, attempt.body === undefined ? 0 : 1, document]
        }),
    ),
  }
}

/** Writes each delivery with `sql`, and the attempts. Returns the unchanged deliveries. */
function recordRows(db: DatabaseSync, sql: string): (rows: RecordedRows) => readonly QueueRow[] {
  const record = db.prepare(sql)
  const keepAttempt = db.prepare(
    'INSERT OR IGNORE INTO attempts (delivery_id, id, has_body, document) VALUES (?, ?, ?, ?)',
  )
  return ({ deliveries, attempts }) => {
    const unchanged = deliveries.filter((row) => record.run(...row).changes === 0)
    for (const row of attempts) keepAttempt.run(...row)
    return unchanged
  }
}

/** Number, queue, destination id, sealed URL. */
export type LaneRow = readonly [number, string, string, string]

export function addLane(db: DatabaseSync): (row: LaneRow) => void {
  const insert = db.prepare('INSERT OR IGNORE INTO lanes VALUES (?, ?, ?, ?)')
  return (row) => void insert.run(...row)
}
