import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type {
  IdempotentResponse,
  IdempotentResponses,
  ResponseToKeep,
} from '../../idempotent-responses.ts'
import type { Postgres } from '../postgres/postgres.ts'
import { fromText, toText } from '../postgres/text.ts'
import { addResponse } from './add-response.ts'

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

  async add(kept: ResponseToKeep): Promise<void> {
    await this.#postgres.read((db) => addResponse(db, kept))
  }

  async find(key: string, now: number): Promise<IdempotentResponse | undefined> {
    const [row] = await this.#postgres.run(sql<IdempotentResponse>`
      SELECT fingerprint, sealed, expires_at AS "expiresAt" FROM idempotent_responses
      WHERE key = ${toText(key)} AND expires_at > ${now}`)
    return row && { ...row, key, fingerprint: fromText(row.fingerprint) }
  }
}
