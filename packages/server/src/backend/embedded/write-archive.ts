import type { DatabaseSync } from 'node:sqlite'
import type { Archiving } from '../events.ts'

/** id, sourceId, messageId, receivedAt of an event. */
type ArchivedRow = readonly [string, string, string, number]

/** eventId, destinationId, reason: a row of `declined`. */
type DeclinedRow = readonly [string, string, string]

/** Events on their way into the archive as they cross to the writer's thread: flat, because nested objects are slow to copy. */
export interface ArchiveInput {
  readonly windowMs: number
  readonly events: readonly ArchivedRow[]
  readonly declined: readonly DeclinedRow[]
}

export function archiveInputOf(entries: readonly Archiving[], windowMs: number): ArchiveInput {
  return {
    windowMs,
    events: entries.map(({ event: { id, sourceId, event } }): ArchivedRow => {
      return [id, sourceId, event.messageId, Date.parse(event.receivedAt)]
    }),
    declined: entries.flatMap(({ event, declined }) =>
      declined.map(({ destinationId, reason }): DeclinedRow => [event.id, destinationId, reason]),
    ),
  }
}

/**
 * Appending has put the events into the archive already: what is left is to take the duplicates out
 * and to keep why an event was declined. Returns the ids of the duplicates.
 */
export function archiveEvents(db: DatabaseSync): (input: ArchiveInput) => string[] {
  const first = db.prepare(
    `SELECT seq, id FROM events
     WHERE message_id = ? AND source_id = ? AND received_at >= ? ORDER BY seq LIMIT 1`,
  )
  const remove = db.prepare('DELETE FROM events WHERE id = ?')
  const count = db.prepare('UPDATE events SET duplicates = duplicates + 1 WHERE seq = ?')
  const decline = db.prepare('INSERT OR IGNORE INTO declined VALUES (?, ?, ?)')

  const isDuplicate = (row: ArchivedRow, windowMs: number): boolean => {
    const [id, sourceId, messageId, receivedAt] = row
    const original = first.get(messageId, sourceId, receivedAt - windowMs)
    if (original === undefined || original['id'] === id) return false
    // Counted only where the row was still there, so that doing it twice counts once.
    if (remove.run(id).changes === 1) count.run(original['seq']!)
    return true
  }

  return ({ windowMs, events, declined }) => {
    const duplicates = events.filter((row) => isDuplicate(row, windowMs)).map(([id]) => id)
    for (const row of declined) {
      if (!duplicates.includes(row[0])) decline.run(...row)
    }
    return duplicates
  }
}
