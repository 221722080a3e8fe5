import type { DatabaseSync } from 'node:sqlite'
import { statSync } from 'node:fs'

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

/** How far the write-ahead log may grow before it is emptied. Without readers, SQLite begins it anew at 16 MB. */
const MOST_BYTES = 64 * 2 ** 20

/**
 * Watches the size of the write-ahead log. SQLite begins the log anew only at a moment without readers. While reads follow
 * one another there is none, and the log would grow until the disk is full.
 */
export class LogSize {
  readonly #file: string
  #limit = MOST_BYTES

  constructor(databaseFile: string) {
    this.#file = `${databaseFile}-wal`
  }

  /** Whether the log has grown so far that it must be emptied. */
  isTooLarge(): boolean {
    return this.#bytes() > this.#limit
  }

  /** It was emptied, or could not be: it may grow so far again. */
  reset(): void {
    this.#limit = this.#bytes() + MOST_BYTES
  }

  #bytes(): number {
    return statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0
  }
}
