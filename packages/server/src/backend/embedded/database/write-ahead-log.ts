import type { DatabaseSync } from 'node:sqlite'
import { statSync } from 'node:fs'

/** How long to wait for readers. Every write waits as well. */
const WAIT_MS = 20

/** Empties the write-ahead log into the database. Returns false if a reader prevented it. Run outside of transactions. */
export function emptyLog(db: DatabaseSync): () => boolean {
  const checkpoint = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)')
  return () => {
    db.exec(`PRAGMA busy_timeout = ${WAIT_MS}`)
    const isBusy = checkpoint.get()?.['busy'] !== 0
    db.exec('PRAGMA busy_timeout = 0')
    return !isBusy
  }
}

export function walBytes(databaseFile: string): number {
  return bytesOf(`${databaseFile}-wal`)
}

/** The size of a file; 0 if it does not exist. */
export function bytesOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
