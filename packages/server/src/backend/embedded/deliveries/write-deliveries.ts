import type { DatabaseSync } from 'node:sqlite'
import type { RecordedDelivery } from '../../deliveries.ts'

/** id, eventId, destinationId, state, rounds, firstDueAt, dueAt, webhooks, replayId: a row of `deliveries`. */
type DeliveryRow = readonly [
  string,
  string,
  string,
  string,
  number,
  number,
  number | null,
  string,
  string | null,
]

/** deliveryId, id, document: a row of `attempts`. */
export type AttemptRow = readonly [string, string, string]

/** Deliveries and attempts as they cross to the writer's thread: flat, because nested objects are slow to copy. */
export interface RecordedRows {
  readonly deliveries: readonly DeliveryRow[]
  readonly attempts: readonly AttemptRow[]
}

export function recordedRowsOf(records: readonly RecordedDelivery[]): RecordedRows {
  return {
    deliveries: records.map(({ delivery }): DeliveryRow => {
      const { id, eventId, destinationId, state, rounds, firstDueAt, dueAt, replayId } = delivery
      const progress = JSON.stringify(delivery.webhooks)
      const end = [firstDueAt, dueAt, progress, replayId ?? null] as const
      return [id, eventId, destinationId, state, rounds, ...end]
    }),
    attempts: attemptRowsOf(records),
  }
}

/** An attempt that delivered is kept in `webhooks` of its delivery, whole: it has no row of its own. */
export function attemptRowsOf(records: readonly RecordedDelivery[]): readonly AttemptRow[] {
  return records.flatMap(({ delivery, attempts }) =>
    attempts
      .filter(({ outcome }) => outcome !== 'delivered')
      .map((attempt): AttemptRow => [delivery.id, attempt.id, JSON.stringify(attempt)]),
  )
}

export function recordDeliveries(db: DatabaseSync): (rows: RecordedRows) => void {
  const upsert = db.prepare(
    `INSERT INTO deliveries
       (id, event_id, destination_id, state, rounds, first_due_at, due_at, webhooks, replay_id)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET
       state = excluded.state, rounds = excluded.rounds, due_at = excluded.due_at, webhooks = excluded.webhooks
     WHERE deliveries.state IN ('pending', 'held') AND deliveries.rounds <= excluded.rounds`,
  )
  const keep = db.prepare('INSERT OR IGNORE INTO attempts VALUES (?, ?, ?)')

  return ({ deliveries, attempts }) => {
    for (const row of deliveries) upsert.run(...row)
    for (const row of attempts) keep.run(...row)
  }
}

/** Makes at most `limit` held deliveries pending, and returns how many. */
export function unholdDeliveries(
  db: DatabaseSync,
): (slice: {
  readonly destinationId: string
  readonly now: number
  readonly limit: number
}) => number {
  const update = db.prepare(
    `UPDATE deliveries SET state = 'pending', first_due_at = ?1, due_at = ?1 WHERE id IN (
       SELECT id FROM deliveries WHERE state = 'held' AND destination_id = ?2 LIMIT ?3)`,
  )
  return ({ destinationId, now, limit }) => Number(update.run(now, destinationId, limit).changes)
}
