import type { DatabaseSync } from 'node:sqlite'
import type { Row } from '../database/rows.ts'
import { type DedupeWindow, KnownMessageIds } from './known-message-ids.ts'
import { SEGMENT } from './segments.ts'

/** A row of `events` as it is appended. */
export type EventRow = readonly [
  seq: number,
  id: string,
  sourceId: string,
  messageId: string,
  type: string,
  receivedAt: number,
  marks: string,
  body: string,
  userId: string | null,
  previousId: string | null,
]

/**
 * Appends events and returns the ids of the duplicates among them. A duplicate is not appended: the first event with its
 * source and messageId within the window counts it, and has its time.
 */
export function appendEvents(
  db: DatabaseSync,
  window: DedupeWindow,
): (rows: readonly EventRow[]) => string[] {
  const known = new KnownMessageIds(db, window)
  const originalOf = originalFinder(db, known, window)
  const count = db.prepare(
    'UPDATE events SET duplicates = duplicates + 1, last_duplicate_at = ? WHERE seq = ?',
  )
  const insert = db.prepare(
    `INSERT INTO events
       (seq, id, source_id, message_id, type, received_at, marks, body, user_id, previous_id)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  return (rows) => {
    const duplicates: string[] = []
    for (const row of rows) {
      const [seq, id, , messageId, , receivedAt] = row
      const original = originalOf(row)
      // The same event again is no duplicate: its id is there already, and the INSERT refuses it.
      if (original === undefined || original['id'] === id) {
        insert.run(...row)
        known.add(seq, messageId, receivedAt)
      } else {
        count.run(receivedAt, original['seq']!)
        duplicates.push(id)
      }
    }
    return duplicates
  }
}

/** Prepares the look-up of the first event with the source and messageId of a row, within the window. */
function originalFinder(
  db: DatabaseSync,
  known: KnownMessageIds,
  { dedupeWindowMs }: DedupeWindow,
): (row: EventRow) => Row | undefined {
  const first = db.prepare(
    `SELECT seq, id FROM events
     WHERE ${SEGMENT} = ? AND message_id = ? AND source_id = ? AND received_at >= ? ORDER BY seq LIMIT 1`,
  )
  return ([, , sourceId, messageId, , receivedAt]) => {
    for (const segment of known.segmentsWith(messageId)) {
      const found = first.get(segment, messageId, sourceId, receivedAt - dedupeWindowMs)
      if (found !== undefined) return found
    }
    return undefined
  }
}

/** Moves the consumer's position forwards: everything up to `seq` is acked. */
export function ackEvents(db: DatabaseSync): (seq: number) => void {
  const update = db.prepare('UPDATE log_position SET acked = MAX(acked, ?)')
  return (seq) => {
    update.run(seq)
  }
}
