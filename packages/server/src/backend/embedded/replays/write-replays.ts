import type { DatabaseSync } from 'node:sqlite'
import { requeue } from '../deliveries/requeue-delivery.ts'

const ENDED = "'delivered', 'rejected', 'expired', 'quarantined'"

export interface NewReplay {
  readonly id: string
  readonly createdAt: number
  readonly document: string
}

export function createReplay(db: DatabaseSync): (replay: NewReplay) => void {
  const insert = db.prepare(
    `INSERT INTO replays (id, state, created_at, scanned, requeued, document)
     VALUES (?, 'queued', ?, 0, 0, ?)`,
  )
  return ({ id, createdAt, document }) => void insert.run(id, createdAt, document)
}

export function cancelReplay(
  db: DatabaseSync,
): (cancelled: { readonly id: string; readonly now: number }) => void {
  const update = db.prepare(
    "UPDATE replays SET state = 'cancelled', finished_at = ? WHERE id = ? AND finished_at IS NULL",
  )
  return ({ id, now }) => void update.run(now, id)
}

export interface ReplayAdvance {
  readonly id: string
  readonly destinationId: string
  /** Where the replay must be for the step to be taken. */
  readonly fromCursor: string | null
  readonly deliveries: readonly { readonly id: string; readonly eventId: string }[]
  readonly scanned: number
  readonly reachedAt: number | null
  readonly cursor: string | null
  readonly now: number
}

/** Returns whether the step was taken. */
export function advanceReplay(db: DatabaseSync): (step: ReplayAdvance) => boolean {
  const makePending = requeue(db, ENDED)
  const isThere = db.prepare(
    'SELECT 1 FROM replays WHERE id = ? AND finished_at IS NULL AND cursor IS ?',
  )
  const move = db.prepare(
    `UPDATE replays SET state = ?, finished_at = ?, scanned = scanned + ?, requeued = requeued + ?,
       reached_at = COALESCE(?, reached_at), cursor = ?
     WHERE id = ?`,
  )
  return ({ id, destinationId, fromCursor, deliveries, scanned, reachedAt, cursor, now }) => {
    if (isThere.get(id, fromCursor) === undefined) return false
    const requeued = deliveries.filter((delivery) =>
      makePending({ ...delivery, destinationId, now, replayId: id }),
    ).length
    const [state, finishedAt] = cursor === null ? ['finished', now] : ['running', null]
    move.run(state, finishedAt, scanned, requeued, reachedAt, cursor, id)
    return true
  }
}

/** Returns whether the delivery is pending now. */
export function retryDelivery(
  db: DatabaseSync,
): (retried: { readonly id: string; readonly now: number }) => boolean {
  const makePending = requeue(db, `${ENDED}, 'pending'`)
  const select = db.prepare('SELECT event_id, destination_id FROM deliveries WHERE id = ?')
  return ({ id, now }) => {
    const row = select.get(id)
    if (row === undefined) return false
    const [eventId, destinationId] = [String(row['event_id']), String(row['destination_id'])]
    return makePending({ id, eventId, destinationId, now, replayId: null })
  }
}
