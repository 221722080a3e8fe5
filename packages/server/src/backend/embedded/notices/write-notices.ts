import type { Delivery } from '@hookline/protocol'
import type { DatabaseSync } from 'node:sqlite'
import type { NewNotice } from '../../notices.ts'
import type { QuarantineItem } from '../../quarantine.ts'
import { isWaiting, type RecordedRows, recordRows } from '../deliveries/write-delivery-queue.ts'

export function createNotices(db: DatabaseSync): (notices: readonly NewNotice[]) => void {
  const insert = db.prepare(
    `INSERT OR IGNORE INTO notices (id, deletion_id, source_id, destination_id, kind, user_id, created_at,
       state, rounds, first_due_at, due_at, attempts, webhooks, is_waiting)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 'pending', 0, ?8, ?8, 0, '[]', 1)`,
  )
  return (notices) => {
    for (const { id, deletionId, sourceId, destinationId, subject, createdAt, dueAt } of notices) {
      const about = [subject.kind, subject.id] as const
      insert.run(id, deletionId, sourceId, destinationId, ...about, createdAt, dueAt)
    }
  }
}

/** What a record changes in a notice. */
type NoticeRow = readonly [
  id: string,
  state: string,
  rounds: number,
  dueAt: number | null,
  endedAt: number | null,
  attempts: number,
  webhooks: string,
  isWaiting: number,
]

export function noticeRowOf(delivery: Delivery, webhooks: string): NoticeRow {
  const { id, state, rounds, dueAt } = delivery
  const lasts = delivery.webhooks.flatMap(({ last }) => last ?? [])
  const attempts = lasts.reduce((sum, { number }) => sum + number, 0)
  const isOpen = state === 'pending' || state === 'held' || lasts.length === 0
  const respondedAt = lasts.map(({ startedAt, durationMs }) => Math.round(startedAt + durationMs))
  const endedAt = isOpen ? null : Math.max(...respondedAt)
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

export function quarantineNotices(
  db: DatabaseSync,
): (items: readonly Pick<QuarantineItem, 'id' | 'reason' | 'at'>[]) => void {
  const mark = db.prepare(
    `UPDATE notices SET state = 'quarantined', due_at = NULL, is_waiting = 0, ended_at = ?
     WHERE id = ? AND (state IN ('pending', 'held') OR is_waiting)`,
  )
  // A damaged row may not be known as one that waits.
  const endWaiting = db.prepare('DELETE FROM waiting_parts WHERE delivery_id = ?')
  const keep = db.prepare('INSERT OR REPLACE INTO quarantine VALUES (?, ?, ?)')
  return (items) => {
    for (const { id, reason, at } of items) {
      mark.run(at, id)
      endWaiting.run(id)
      keep.run(id, reason, at)
    }
  }
}
