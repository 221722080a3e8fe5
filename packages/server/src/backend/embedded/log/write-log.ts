import type { DatabaseSync } from 'node:sqlite'
import type { Row } from '../database/rows.ts'
import { missingRowsCounter } from '../database/missing-rows.ts'
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
 * source and messageId within the window counts it, and has its time. What is neither appended nor a duplicate counts as
 * missing.
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
  const countMissing = missingRowsCounter(db)
  return (rows) => {
    const duplicates: string[] = []
    let inserted = 0
    for (const row of rows) {
      const [seq, id, , messageId, , receivedAt] = row
      const original = originalOf(row)
      // The same event again is no duplicate: its id is there already, and the INSERT refuses it.
      if (original === undefined || original['id'] === id) {
        inserted += Number(insert.run(...row).changes)
        known.add(seq, messageId, receivedAt)
      } else {
        count.run(receivedAt, original['seq']!)
        duplicates.push(id)
      }
    }
    countMissing({ events: rows.length - duplicates.length - inserted })
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

/** What the consumer has done with the log. */
interface Acked {
  /** The seq of the last event that is done. */
  readonly through: number
  /** How many events the consumer was handed since the ack before, without duplicates. */
  readonly events: number
}

/**
 * Moves the consumer's position forwards. Events that it passes and that the consumer was not handed are missing. The
 * consumer may have been handed more than there are: those were purged since.
 */
export function ackEvents(db: DatabaseSync): (acked: Acked) => void {
  const position = db.prepare('SELECT acked FROM log_position')
  const between = db.prepare('SELECT COUNT(*) AS count FROM events WHERE seq > ? AND seq <= ?')
  const update = db.prepare('UPDATE log_position SET acked = ?')
  const countMissing = missingRowsCounter(db)
  return ({ through, events }) => {
    const before = Number(position.get()!['acked'])
    if (through <= before) return
    const passed = Number(between.get(before, through)!['count'])
    countMissing({ events: Math.max(0, passed - events) })
    update.run(through)
  }
}
