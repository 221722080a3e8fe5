import { sql } from 'kysely'
import type { SecretBox } from '../../util/secrets/secret-box.ts'
import type { OwnKeyName, OwnKeys } from '../own-keys.ts'
import type { Postgres } from './postgres/postgres.ts'

/** Keys in the database, sealed with the encryption key. */
export class PostgresOwnKeys implements OwnKeys {
  readonly #postgres: Postgres
  readonly #box: SecretBox

  constructor(postgres: Postgres, box: SecretBox) {
    this.#postgres = postgres
    this.#box = box
  }

  async keyOf(name: OwnKeyName, make: () => string): Promise<string> {
    const kept = await this.#find(name)
    if (kept !== undefined) return kept
    // Of nodes that make one at the same time, the first one's is kept.
    const sealed = this.#box.seal(make(), name)
    await this.#postgres.run(
      sql`INSERT INTO own_keys VALUES (${name}, ${sealed}) ON CONFLICT (name) DO NOTHING`,
    )
    return (await this.#find(name))!
  }

  async #find(name: OwnKeyName): Promise<string | undefined> {
    const [row] = await this.#postgres.run(
      sql<{ readonly sealed: string }>`SELECT sealed FROM own_keys WHERE name = ${name}`,
    )
    return row && this.#box.open(row.sealed, name)
  }
}
