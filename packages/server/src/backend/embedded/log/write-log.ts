import type { DatabaseSync } from 'node:sqlite'
import { type DedupeWindow, KnownMessageIds } from './known-message-ids.ts'
import { SEGMENT } from './segments.ts'

/** seq, id, sourceId, messageId, type, receivedAt, marks, body, userId, previousId: a row of `events` as it is appended. */
export type EventRow = readonly [
  number,
  string,
  string,
  string,
  string,
  number,
  string,
  string,
  string | null,
  string | null,
]

/**
 * Appends events, but for duplicates: of those only the number is kept, at the first event with their source and
 * messageId of the last `dedupeWindowMs`. Returns their ids.
 */
export function appendEvents(
  db: DatabaseSync,
  { dedupeWindowMs }: DedupeWindow,
): (rows: readonly EventRow[]) => string[] {
  const known = new KnownMessageIds(db, { dedupeWindowMs })
  const first = db.prepare(
    `SELECT seq, id FROM events
     WHERE ${SEGMENT} = ? AND message_id = ? AND source_id = ? AND received_at >= ? ORDER BY seq LIMIT 1`,
  )
  const count = db.prepare('UPDATE events SET duplicates = duplicates + 1 WHERE seq = ?')
  const insert = db.prepare(
    `INSERT INTO events
       (seq, id, source_id, message_id, type, received_at, marks, body, user_id, previous_id)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const originalOf = ([, , sourceId, messageId, , receivedAt]: EventRow) => {
    for (const segment of known.segmentsWith(messageId)) {
      const found = first.get(segment, messageId, sourceId, receivedAt - dedupeWindowMs)
      if (found !== undefined) return found
    }
    return undefined
  }
  return (rows) => {
    const duplicates: string[] = []
    for (const row of rows) {
      const [seq, id, , messageId, , receivedAt] = row
      const original = originalOf(row)
      // The very same event again is no duplicate: it violates what is unique, and is refused.
      if (original === undefined || original['id'] === id) {
        insert.run(...row)
        known.add(seq, messageId, receivedAt)
      } else {
        count.run(original['seq']!)
        duplicates.push(id)
      }
    }
    return duplicates
  }
}

/** Moves the consumer's position: everything up to `seq` is acked. */
export function ackEvents(db: DatabaseSync): (seq: number) => void {
  const update = db.prepare('UPDATE log_position SET acked = MAX(acked, ?)')
  return (seq) => {
    update.run(seq)
  }
}
