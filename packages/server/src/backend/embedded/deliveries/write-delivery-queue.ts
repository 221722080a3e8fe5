import type { Delivery } from '@hookline/protocol'
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { RecordedDelivery } from '../../deliveries.ts'
import type { StoredParts } from '../../store/stored-parts.ts'

/** A delivery as it crosses to the writer's thread: flat, because nested objects are slow to copy. */
export type QueueRow = readonly SQLInputValue[]

/** A row of `attempts`. */
type AttemptRow = readonly [deliveryId: string, id: string, hasBody: 0 | 1, document: string]

export interface RecordedRows {
  /** How many deliveries were to be recorded. */
  readonly records: number
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
    records: records.length,
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
export function isWaiting({ webhooks }: Delivery): 0 | 1 {
  return webhooks.some(({ state }) => state === 'pending' || state === 'held') ? 1 : 0
}

/** Writes each delivery with `sql`, and the failed attempts. Returns the deliveries that `sql` did not change. */
export function recordRows(
  db: DatabaseSync,
  sql: string,
): (rows: Pick<RecordedRows, 'deliveries' | 'attempts'>) => {
  readonly changed: number
  readonly unchanged: readonly QueueRow[]
} {
  const record = db.prepare(sql)
  const keepAttempt = db.prepare(
    'INSERT OR IGNORE INTO attempts (delivery_id, id, has_body, document) VALUES (?, ?, ?, ?)',
  )
  return ({ deliveries, attempts }) => {
    let changed = 0
    const unchanged: QueueRow[] = []
    for (const row of deliveries) {
      const { changes } = record.run(...row)
      if (changes === 0) unchanged.push(row)
      else changed++
    }
    for (const row of attempts) keepAttempt.run(...row)
    return { changed, unchanged }
  }
}
