import { sql } from 'kysely'
import type { KeyUses } from '../../catalog.ts'
import type { ChangeFeed } from '../changes/change-feed.ts'
import { SharedRefresh } from '../../../util/workers/shared-refresh.ts'
import type { Postgres } from '../postgres/postgres.ts'
import { fromText, toText } from '../postgres/text.ts'

/** Uses that are read together. */
const ROWS = 5_000

interface Row {
  readonly key: string
  readonly last_used_at: number
  readonly number: number
}

/**
 * Uses of write keys in the table `key_uses`. Each node has all of them in memory, and reads those that others have marked.
 * Of the times that nodes mark, the latest one stays: clocks that differ do not make them mark in turns.
 */
export class PostgresKeyUses implements KeyUses {
  readonly #postgres: Postgres
  readonly #feed: ChangeFeed
  readonly #refreshes = new SharedRefresh(() => this.#read())
  readonly #lastUsedAt = new Map<string, number>()
  #reached = 0

  private constructor(postgres: Postgres, feed: ChangeFeed) {
    this.#postgres = postgres
    this.#feed = feed
  }

  /** Reads all of them. */
  static async open(postgres: Postgres, feed: ChangeFeed): Promise<PostgresKeyUses> {
    const opened = new PostgresKeyUses(postgres, feed)
    await opened.#refreshes.run()
    feed.on('key-uses', () => opened.#refreshes.run())
    return opened
  }

  lastUsedAt(key: string): number | undefined {
    return this.#lastUsedAt.get(key)
  }

  async mark(key: string, at: number): Promise<void> {
    this.#lastUsedAt.set(key, at)
    await this.#postgres.write(async (transaction) => {
      const number = await this.#feed.tell(transaction, 'key-uses')
      await sql`INSERT INTO key_uses AS kept VALUES (${toText(key)}, ${at}, ${number})
        ON CONFLICT (key) DO UPDATE SET last_used_at = excluded.last_used_at, number = excluded.number
          WHERE kept.last_used_at < excluded.last_used_at`.execute(transaction)
    })
  }

  async #read(): Promise<void> {
    for (let rows = ROWS; rows === ROWS;) {
      const uses = await this.#postgres.run(sql<Row>`
        SELECT * FROM key_uses WHERE number > ${this.#reached} ORDER BY number LIMIT ${ROWS}`)
      for (const { key, last_used_at: at } of uses) this.#merge(fromText(key), at)
      rows = uses.length
      this.#reached = uses.at(-1)?.number ?? this.#reached
    }
  }

  /** A use that was marked here may not be in the table yet. */
  #merge(key: string, at: number): void {
    const known = this.#lastUsedAt.get(key)
    if (known === undefined || known < at) this.#lastUsedAt.set(key, at)
  }
}
