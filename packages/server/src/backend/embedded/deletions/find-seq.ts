import type { DatabaseSync } from 'node:sqlite'
import { Statements } from '../database/statements.ts'

/** Prepares the look-up of the seq of an event; `undefined` where it is not in the table. */
export function seqFinder(reader: DatabaseSync): (eventId: string) => number | undefined {
  const statements = new Statements(reader)
  return (eventId) => {
    const [row] = statements.all('SELECT seq FROM events WHERE id = ?', [eventId])
    return row && Number(row['seq'])
  }
}
