import type { DatabaseSync } from 'node:sqlite'

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

export interface AppendInput {
  readonly rows: readonly EventRow[]
  readonly dedupeWindowMs: number
}

/**
 * Appends events, but for duplicates: of those only the number is kept, at the first event with their source and
 * messageId. Returns their ids.
 */
export function appendEvents(db: DatabaseSync): (input: AppendInput) => string[] {
  const first = db.prepare(
    `SELECT seq, id FROM events
     WHERE message_id = ? AND source_id = ? AND received_at >= ? ORDER BY seq LIMIT 1`,
  )
  const count = db.prepare('UPDATE events SET duplicates = duplicates + 1 WHERE seq = ?')
  const insert = db.prepare(
    `INSERT INTO events
       (seq, id, source_id, message_id, type, received_at, marks, body, user_id, previous_id)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  return ({ rows, dedupeWindowMs }) => {
    const duplicates: string[] = []
    for (const row of rows) {
      const [, id, sourceId, messageId, , receivedAt] = row
      const original = first.get(messageId, sourceId, receivedAt - dedupeWindowMs)
      // The very same event again is no duplicate: it violates what is unique, and is refused.
      if (original === undefined || original['id'] === id) {
        insert.run(...row)
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
