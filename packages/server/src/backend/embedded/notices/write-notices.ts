import type { DatabaseSync } from 'node:sqlite'
import type { RecordedDelivery } from '../../deliveries.ts'
import type { NewNotice } from '../../notices.ts'
import type { SetAside } from '../../quarantine.ts'
import { type AttemptRow, attemptRowsOf } from '../deliveries/write-deliveries.ts'

export function createNotices(db: DatabaseSync): (notices: readonly NewNotice[]) => void {
  const insert = db.prepare(
    `INSERT OR IGNORE INTO notices (id, deletion_id, source_id, destination_id, user_id, created_at,
       state, rounds, first_due_at, due_at, attempts, webhooks)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'pending', 0, ?7, ?7, 0, '[]')`,
  )
  return (notices) => {
    for (const { id, deletionId, sourceId, destinationId, userId, createdAt, dueAt } of notices)
      insert.run(id, deletionId, sourceId, destinationId, userId, createdAt, dueAt)
  }
}

/** id, state, rounds, dueAt, endedAt, attempts made, webhooks: what a round changes of a notice. */
type NoticeRow = readonly [string, string, number, number | null, number | null, number, string]

interface RecordedNotices {
  readonly notices: readonly NoticeRow[]
  readonly attempts: readonly AttemptRow[]
}

export function recordedNoticesOf(records: readonly RecordedDelivery[]): RecordedNotices {
  return {
    notices: records.map(({ delivery }): NoticeRow => {
      const { id, state, rounds, dueAt, webhooks } = delivery
      const attempts = webhooks.reduce((sum, { last }) => sum + last.number, 0)
      const answeredAt = webhooks.map(({ last }) => Math.round(last.startedAt + last.durationMs))
      const isOpen = state === 'pending' || state === 'held' || webhooks.length === 0
      const endedAt = isOpen ? null : Math.max(...answeredAt)
      return [id, state, rounds, dueAt, endedAt, attempts, JSON.stringify(webhooks)]
    }),
    attempts: attemptRowsOf(records),
  }
}

/** Like `recordDeliveries`, but of notices there are: none is made here. */
export function recordNotices(db: DatabaseSync): (rows: RecordedNotices) => void {
  const update = db.prepare(
    `UPDATE notices SET state = ?2, rounds = ?3, due_at = ?4, ended_at = ?5, attempts = ?6, webhooks = ?7
     WHERE id = ?1 AND state IN ('pending', 'held') AND rounds <= ?3`,
  )
  const keep = db.prepare('INSERT OR IGNORE INTO attempts VALUES (?, ?, ?)')
  return ({ notices, attempts }) => {
    for (const row of notices) update.run(...row)
    for (const row of attempts) keep.run(...row)
  }
}

/** Makes at most `limit` held notices pending, and returns how many. */
export function unholdNotices(
  db: DatabaseSync,
): (slice: {
  readonly destinationId: string
  readonly now: number
  readonly limit: number
}) => number {
  const update = db.prepare(
    `UPDATE notices SET state = 'pending', first_due_at = ?1, due_at = ?1 WHERE id IN (
       SELECT id FROM notices WHERE state = 'held' AND destination_id = ?2 LIMIT ?3)`,
  )
  return ({ destinationId, now, limit }) => Number(update.run(now, destinationId, limit).changes)
}

export function setNoticesAside(
  db: DatabaseSync,
): (items: readonly Pick<SetAside, 'id' | 'reason' | 'at'>[]) => void {
  const mark = db.prepare(
    `UPDATE notices SET state = 'quarantined', due_at = NULL, ended_at = ?
     WHERE id = ? AND state IN ('pending', 'held')`,
  )
  const keep = db.prepare('INSERT OR REPLACE INTO quarantine VALUES (?, ?, ?)')
  return (items) => {
    for (const { id, reason, at } of items) {
      mark.run(at, id)
      keep.run(id, reason, at)
    }
  }
}
