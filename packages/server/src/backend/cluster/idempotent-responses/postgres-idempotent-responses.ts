import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { IdempotentResponse, IdempotentResponses } from '../../idempotent-responses.ts'
import type { Postgres } from '../postgres/postgres.ts'
import { fromText, toText } from '../postgres/text.ts'

/** How many expired responses one call removes: more than calls add. */
const REMOVED = 100

/** Idempotent responses in the table `idempotent_responses`. */
export class PostgresIdempotentResponses implements IdempotentResponses {
  readonly #postgres: Postgres
  readonly #node = randomUUID()

  constructor(postgres: Postgres) {
    this.#postgres = postgres
  }

  async reserve(
    key: string,
    { now, until }: { readonly now: number; readonly until: number },
  ): Promise<boolean> {
    const reserved = await this.#postgres.run(sql`
      INSERT INTO reserved_keys AS kept
      SELECT ${toText(key)}, ${this.#node}, ${until}
      WHERE NOT EXISTS (SELECT 1 FROM idempotent_responses WHERE key = ${toText(key)} AND expires_at > ${now})
      ON CONFLICT (key) DO UPDATE SET node = excluded.node, until = excluded.until WHERE kept.until <= ${now}
      RETURNING key`)
    return reserved.length > 0
  }

  async release(key: string): Promise<void> {
    await this.#postgres.run(
      sql`DELETE FROM reserved_keys WHERE key = ${toText(key)} AND node = ${this.#node}`,
    )
  }

  async add(
    { key, fingerprint, sealed, expiresAt }: IdempotentResponse,
    now: number,
  ): Promise<void> {
    // What another node removes or replaces at this moment is left to it.
    await this.#postgres.run(sql`
      WITH expired AS (
        SELECT key FROM idempotent_responses WHERE expires_at <= ${now} AND key <> ${toText(key)}
        ORDER BY expires_at LIMIT ${REMOVED} FOR UPDATE SKIP LOCKED
      ), removed AS (DELETE FROM idempotent_responses USING expired WHERE idempotent_responses.key = expired.key)
      INSERT INTO idempotent_responses AS kept
      VALUES (${toText(key)}, ${toText(fingerprint)}, ${sealed}, ${expiresAt})
      ON CONFLICT (key) DO UPDATE
        SET fingerprint = excluded.fingerprint, sealed = excluded.sealed, expires_at = excluded.expires_at
        WHERE kept.expires_at <= ${now}`)
  }

  async find(key: string, now: number): Promise<IdempotentResponse | undefined> {
    const [row] = await this.#postgres.run(sql<IdempotentResponse>`
      SELECT fingerprint, sealed, expires_at AS "expiresAt" FROM idempotent_responses
      WHERE key = ${toText(key)} AND expires_at > ${now}`)
    return row && { ...row, key, fingerprint: fromText(row.fingerprint) }
  }
}
