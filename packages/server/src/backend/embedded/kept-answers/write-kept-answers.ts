import type { DatabaseSync } from 'node:sqlite'
import type { KeptAnswer } from '../../kept-answers.ts'

/** Keeps an answer, and forgets those that have expired at `now`. */
export function keepAnswer(
  db: DatabaseSync,
): (input: { readonly answer: KeptAnswer; readonly now: number }) => void {
  const forget = db.prepare('DELETE FROM kept_answers WHERE expires_at <= ?')
  const keep = db.prepare('INSERT OR IGNORE INTO kept_answers VALUES (?, ?, ?, ?)')
  return ({ answer: { key, fingerprint, sealed, expiresAt }, now }) => {
    forget.run(now)
    keep.run(key, fingerprint, sealed, expiresAt)
  }
}
