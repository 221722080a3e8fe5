import type { DatabaseSync } from 'node:sqlite'
import type { IdempotentResponse } from '../../idempotent-responses.ts'

interface AddedResponse {
  readonly response: IdempotentResponse
  readonly now: number
}

/** Keeps a response unless there is one with its key, and removes those that have expired at `now`. */
export function addIdempotentResponse(db: DatabaseSync): (added: AddedResponse) => void {
  // First: an expired response with the key makes room for the new one.
  const removeExpired = db.prepare('DELETE FROM kept_answers WHERE expires_at <= ?')
  const insert = db.prepare('INSERT OR IGNORE INTO kept_answers VALUES (?, ?, ?, ?)')
  return ({ response: { key, fingerprint, sealed, expiresAt }, now }) => {
    removeExpired.run(now)
    insert.run(key, fingerprint, sealed, expiresAt)
  }
}
