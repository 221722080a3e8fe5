import type { Delivery } from '@hookline/protocol'
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { countedOf } from '../../store/notices.ts'
import { missingRowsCounter } from '../database/missing-rows.ts'
import type { RecordedDelivery } from '../../deliveries.ts'
import type { StoredParts } from '../../store/stored-parts.ts'

/** The row of a delivery that `recordDeliveries` writes. `webhooks`: its column of that name. */
export function deliveryRowOf(delivery: Delivery, webhooks: string): QueueRow {
  const { id, eventId, destinationId, state, rounds, firstDueAt, dueAt, replayId } = delivery
  const end = [firstDueAt, dueAt, webhooks, replayId ?? null, isWaiting(delivery)]
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
  return (rows) => {
    const lost = record(rows).filter((row) => !isKept(row))
    countMissing({ deliveries: lost.length })
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

/** A delivery as it crosses to the writer's thread: flat, because nested objects are slow to copy. */
export type QueueRow = readonly SQLInputValue[]

/** A row of `attempts`. */
type AttemptRow = readonly [deliveryId: string, id: string, hasBody: 0 | 1, document: string]

interface RecordedRows {
  readonly deliveries: readonly QueueRow[]
  readonly attempts: readonly AttemptRow[]
}

/** An attempt that delivered is kept whole in `webhooks` of its delivery, and has no row in `attempts`. */
export function recordedRowsOf(
  records: readonly RecordedDelivery[],
  parts: StoredParts,
  rowOf: (delivery: Delivery, webhooks: string) => QueueRow,
): RecordedRows {
  return {
    deliveries: records.map(({ delivery }) => rowOf(delivery, parts.textOf(delivery))),
    attempts: records.flatMap(({ delivery: { id, destinationId }, attempts }) =>
      attempts
        .filter(({ outcome }) => outcome !== 'delivered')
        .map((attempt): AttemptRow => {
          const document = parts.attemptText(destinationId, attempt)
          return [id, attempt.id, attempt.body === undefined ? 0 : 1, document]
        }),
    ),
  }
}

/** Whether the delivery has a part that waits in a lane, as a column. */
function isWaiting({ webhooks }: Delivery): 0 | 1 {
  return webhooks.some(({ state }) => state === 'pending' || state === 'held') ? 1 : 0
}

/** Writes each delivery with `sql`, and the failed attempts. Returns the deliveries that `sql` did not change. */
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

/** A row of `lanes`. */
export type LaneRow = readonly [
  number: number,
  queue: string,
  destinationId: string,
  sealedUrl: string,
]

/** Keeps a lane. Safe to call twice. */
export function addLane(db: DatabaseSync): (row: LaneRow) => void {
  const insert = db.prepare('INSERT OR IGNORE INTO lanes VALUES (?, ?, ?, ?)')
  return (row) => void insert.run(...row)
}
