import { sql } from 'kysely'
import type { ResponseToKeep } from '../../idempotent-responses.ts'
import type { Connection } from '../postgres/postgres.ts'
import { toText } from '../postgres/text.ts'

/** How many expired responses one call removes: more than calls add. */
const REMOVED = 100

/** Keeps a response, and removes some that have expired. Returns whether it did: not where there is one with its key. */
export async function addResponse(
  db: Connection,
  { response: { key, fingerprint, sealed, expiresAt }, now }: ResponseToKeep,
): Promise<boolean> {
  // What another node removes or replaces at this moment is left to it.
  const { rows } = await sql`
    WITH expired AS (
      SELECT key FROM idempotent_responses WHERE expires_at <= ${now} AND key <> ${toText(key)}
      ORDER BY expires_at LIMIT ${REMOVED} FOR UPDATE SKIP LOCKED
    ), removed AS (DELETE FROM idempotent_responses USING expired WHERE idempotent_responses.key = expired.key)
    INSERT INTO idempotent_responses AS kept
    VALUES (${toText(key)}, ${toText(fingerprint)}, ${sealed}, ${expiresAt})
    ON CONFLICT (key) DO UPDATE
      SET fingerprint = excluded.fingerprint, sealed = excluded.sealed, expires_at = excluded.expires_at
      WHERE kept.expires_at <= ${now}
    RETURNING key`.execute(db)
  return rows.length > 0
}
