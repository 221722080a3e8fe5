import type { DatabaseSync } from 'node:sqlite'

/** How long it waits for readers. Every write waits with it. */
const WAIT_MS = 20

/**
 * Moves what is in the write-ahead log into the database, and empties the file of the log. Returns false where a reader
 * was in the way. Run it outside of a transaction.
 */
export function emptyLog(db: DatabaseSync): () => boolean {
  const checkpoint = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)')
  return () => {
    db.exec(`PRAGMA busy_timeout = ${WAIT_MS}`)
    const isBusy = checkpoint.get()?.['busy'] !== 0
    db.exec('PRAGMA busy_timeout = 0')
    return !isBusy
  }
}
