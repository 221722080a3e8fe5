import type { Delivery } from '@hookline/protocol'
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { RecordedDelivery } from '../../deliveries.ts'

/** A delivery as it crosses to the writer's thread: flat, because nested objects are slow to copy. */
export type QueueRow = readonly SQLInputValue[]

/** A row of `attempts`. */
type AttemptRow = readonly [deliveryId: string, id: string, document: string]

interface RecordedRows {
  readonly deliveries: readonly QueueRow[]
  readonly attempts: readonly AttemptRow[]
}

/** An attempt that delivered is kept whole in `webhooks` of its delivery, and has no row in `attempts`. */
export function recordedRowsOf(
  records: readonly RecordedDelivery[],
  rowOf: (delivery: Delivery) => QueueRow,
): RecordedRows {
  return {
    deliveries: records.map(({ delivery }) => rowOf(delivery)),
    attempts: records.flatMap(({ delivery, attempts }) =>
      attempts
        .filter(({ outcome }) => outcome !== 'delivered')
        .map((attempt): AttemptRow => [delivery.id, attempt.id, JSON.stringify(attempt)]),
    ),
  }
}

/** Writes each delivery with `sql`, and the failed attempts. */
export function recordRows(db: DatabaseSync, sql: string): (rows: RecordedRows) => void {
  const record = db.prepare(sql)
  const keepAttempt = db.prepare('INSERT OR IGNORE INTO attempts VALUES (?, ?, ?)')
  return ({ deliveries, attempts }) => {
    for (const row of deliveries) record.run(...row)
    for (const row of attempts) keepAttempt.run(...row)
  }
}

interface UnholdSlice {
  readonly destinationId: string
  readonly now: number
  readonly limit: number
}

/** Makes at most `limit` held rows of a destination pending, and returns how many. */
export function unholdRows(
  db: DatabaseSync,
  table: 'deliveries' | 'notices',
): (slice: UnholdSlice) => number {
  const update = db.prepare(
    `UPDATE ${table} SET state = 'pending', first_due_at = ?1, due_at = ?1 WHERE id IN (
       SELECT id FROM ${table} WHERE state = 'held' AND destination_id = ?2 LIMIT ?3)`,
  )
  return ({ destinationId, now, limit }) => Number(update.run(now, destinationId, limit).changes)
}
