import type { DatabaseSync } from 'node:sqlite'

/** eventId, destinationId, reason: a row of `declined`. */
export type DeclinedRow = readonly [string, string, string]

/** Keeps why events were declined. */
export function keepDeclined(db: DatabaseSync): (rows: readonly DeclinedRow[]) => void {
  const insert = db.prepare('INSERT OR IGNORE INTO declined VALUES (?, ?, ?)')
  return (rows) => {
    for (const row of rows) insert.run(...row)
  }
}
