import { DatabaseSync } from 'node:sqlite'
import { copyRows, fillDatabase, NO_CHECKSUM } from '@hookline/testing/files/fill-database'

/**
 * Copies the only event to the end of the log, directly in the database file of a stopped service: events that were appended
 * and that the pipeline has not seen. `userId` is an expression of SQL, with the number of the copy as `n`.
 */
export function appendCopies(file: string, count: number, userId = 'user_id'): void {
  fillDatabase(file, (db) => {
    db.exec(`CREATE TEMP TABLE copy AS WITH RECURSIVE copy (n) AS
      (SELECT 1 UNION ALL SELECT n + 1 FROM copy WHERE n < ${count}) SELECT n FROM copy`)
    const last = Number(db.prepare('SELECT MAX(seq) AS seq FROM events').get()?.['seq'])
    copyRows(db, {
      table: 'events',
      originals: `SELECT * FROM events WHERE seq = ${last}`,
      changed: {
        seq: `${last} + n`,
        id: `'evt_' || printf('%026d', ${last} + n)`,
        message_id: 'lower(hex(randomblob(16)))',
        user_id: userId,
        checksum: NO_CHECKSUM,
      },
    })
  })
}

/** How many events of the log are not acked. */
export function unacked(file: string): number {
  using db = new DatabaseSync(file, { readOnly: true, timeout: 10_000 })
  const sql = 'SELECT (SELECT MAX(seq) FROM events) - acked AS unacked FROM log_position'
  return Math.max(0, Number(db.prepare(sql).get()?.['unacked']))
}
