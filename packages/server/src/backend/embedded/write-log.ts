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

export function appendEvents(db: DatabaseSync): (rows: readonly EventRow[]) => void {
  const insert = db.prepare(
    `INSERT INTO events
       (seq, id, source_id, message_id, type, received_at, marks, body, user_id, previous_id)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  return (rows) => {
    for (const row of rows) insert.run(...row)
  }
}

/** Moves the consumer's position: everything up to `seq` is acked. */
export function ackEvents(db: DatabaseSync): (seq: number) => void {
  const update = db.prepare('UPDATE log_position SET acked = MAX(acked, ?)')
  return (seq) => {
    update.run(seq)
  }
}
