import type { DatabaseSync } from 'node:sqlite'
import { EVENT_COLUMNS, checksumOf, eventHeadOf, readableEventOf } from '../log/event-row.ts'
import type { Row } from '../database/rows.ts'

/** How long one slice may take. Every other write waits for it. */
const SLICE_MS = 5
/** Numbers of events that one step looks at. */
const STEP = 50

/**
 * Brings events that a version before schema 18 stored into the form of this one, the newest first. Returns how many; `null`
 * where there were none left. A damaged event stays as it is: its reader finds that.
 */
export function convertOldEvents(db: DatabaseSync): () => number | null {
  const place = db.prepare('SELECT old_through FROM log_position')
  const move = db.prepare('UPDATE log_position SET old_through = ?')
  const select = db.prepare(
    `SELECT seq, ${EVENT_COLUMNS} FROM events WHERE seq > ? AND seq <= ? AND rest IS NULL`,
  )
  const newest = db.prepare('SELECT MAX(seq) AS seq FROM events WHERE seq <= ?')
  const convert = converter(db)
  return () => {
    const deadline = performance.now() + SLICE_MS
    let through = Number(place.get()!['old_through'])
    if (through === 0) return null
    let converted = 0
    // At least one step, however long the machine has kept the thread waiting.
    do {
      // Retention and purges leave gaps, which may be large.
      through = Number(newest.get(through)?.['seq'] ?? 0)
      const rows = select.all(Math.max(0, through - STEP), through)
      converted += rows.filter(convert).length
      through = Math.max(0, through - STEP)
    } while (through > 0 && performance.now() < deadline)
    move.run(through)
    return converted
  }
}

/** Prepares the change of one row. It returns false where the row is damaged, or its columns say other things than its body. */
function converter(db: DatabaseSync): (row: Row) => boolean {
  const update = db.prepare(
    `UPDATE events SET rest = ?, body = CAST(? AS TEXT), checksum = ? WHERE seq = ? AND message_id = ? AND type = ?
     AND received_at = ? AND user_id IS ? AND previous_id IS ?`,
  )
  return (row) => {
    const event = readableEventOf(row)
    if (event === undefined) return false
    const { body } = event
    const head = eventHeadOf(event)
    const [, , messageId, type, receivedAt, , userId, previousId, , rest] = head
    const columns = [messageId, type, receivedAt, userId, previousId] as const
    return update.run(rest, body, checksumOf(head, body), row['seq']!, ...columns).changes > 0
  }
}
