import { DatabaseSync } from 'node:sqlite'
import { copyRows, fillDatabase, NO_CHECKSUM } from '@hookline/testing/files/fill-database'

/**
 * Appends copies of the only event to the log, directly in the database file of a stopped service. The pipeline has not
 * processed them. `userId` is an SQL expression, with the number of the copy as `n`.
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

/** The number of unacked events in the log. */
export function unackedCount(file: string): number {
  using db = new DatabaseSync(file, { readOnly: true, timeout: 10_000 })
  const sql = 'SELECT (SELECT MAX(seq) FROM events) - acked AS unacked FROM log_position'
  return Math.max(0, Number(db.prepare(sql).get()?.['unacked']))
}
