import type { DatabaseSync } from 'node:sqlite'
import type { ResponseToKeep } from '../../idempotent-responses.ts'

/** Keeps a response unless there is one with its key, and removes those that have expired at `now`. */
export function addIdempotentResponse(db: DatabaseSync): (kept: ResponseToKeep) => void {
  return writeResponse(db, 'INSERT OR IGNORE')
}

/** The same for the transaction of a change. Throws where there is one with its key. */
export function keepWithChange(db: DatabaseSync): (kept: ResponseToKeep) => void {
  return writeResponse(db, 'INSERT')
}

function writeResponse(
  db: DatabaseSync,
  insertOr: 'INSERT' | 'INSERT OR IGNORE',
): (kept: ResponseToKeep) => void {
  // First: an expired response with the key makes room for the new one.
  const removeExpired = db.prepare('DELETE FROM kept_answers WHERE expires_at <= ?')
  const insert = db.prepare(`${insertOr} INTO kept_answers VALUES (?, ?, ?, ?)`)
  return ({ response: { key, fingerprint, sealed, expiresAt }, now }) => {
    removeExpired.run(now)
    insert.run(key, fingerprint, sealed, expiresAt)
  }
}
