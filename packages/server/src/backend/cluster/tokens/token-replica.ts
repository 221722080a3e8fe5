import { sql } from 'kysely'
import type { StoredToken } from '../../tokens.ts'
import { SharedRefresh } from '../changes/shared-refresh.ts'
import type { Postgres } from '../postgres/postgres.ts'
import { fromText } from '../postgres/text.ts'

interface Row {
  readonly id: string
  readonly document: string
  readonly last_used_at: number | null
  readonly use_number: number | null
}

/**
 * The tokens in the memory of this node. Of the times that nodes mark a token as used, the latest one stays: clocks that
 * differ do not make them mark in turns.
 */
export class TokenReplica {
  readonly #postgres: Postgres
  readonly #refreshes = new SharedRefresh(() => this.#read())
  #current: ReadonlyMap<string, StoredToken> = new Map()
  #isOutdated = true
  #reachedUse = 0

  constructor(postgres: Postgres) {
    this.#postgres = postgres
  }

  get current(): ReadonlyMap<string, StoredToken> {
    return this.#current
  }

  /** Finds every token that was added or removed before the call. */
  refresh(): Promise<void> {
    this.#isOutdated = true
    return this.#refreshes.run()
  }

  /** Finds every use of a known token that was marked before the call. */
  refreshUses(): Promise<void> {
    return this.#refreshes.run()
  }

  set(token: StoredToken): void {
    this.#current = new Map(this.#current).set(token.id, token)
  }

  delete(id: string): void {
    this.#current = new Map([...this.#current].filter(([each]) => each !== id))
  }

  async #read(): Promise<void> {
    if (!this.#isOutdated) return this.#readUses()
    this.#isOutdated = false
    try {
      await this.#readAll()
    } catch (error) {
      this.#isOutdated = true
      throw error
    }
  }

  async #readAll(): Promise<void> {
    const rows = await this.#postgres.run(sql<Row>`SELECT * FROM tokens ORDER BY id`)
    const tokens = rows.map(({ document, last_used_at: lastUsedAt }) =>
      this.#usedHere({ ...(JSON.parse(document) as StoredToken), lastUsedAt }),
    )
    this.#current = new Map(tokens.map((token) => [token.id, token]))
    this.#reachedUse = rows.reduce((most, row) => Math.max(most, row.use_number ?? 0), 0)
  }

  async #readUses(): Promise<void> {
    const rows = await this.#postgres.run(sql<Row>`
      SELECT * FROM tokens WHERE use_number > ${this.#reachedUse} ORDER BY use_number`)
    const current = new Map(this.#current)
    for (const { id, last_used_at: lastUsedAt } of rows) {
      // One that was just added is read as a whole.
      const token = current.get(fromText(id))
      if (token !== undefined) current.set(token.id, this.#usedHere({ ...token, lastUsedAt }))
    }
    this.#current = current
    this.#reachedUse = rows.at(-1)?.use_number ?? this.#reachedUse
  }

  /** A use that was marked here may not be in the table yet. */
  #usedHere(token: StoredToken): StoredToken {
    const known = this.#current.get(token.id)?.lastUsedAt ?? null
    const isLater = known !== null && (token.lastUsedAt === null || known > token.lastUsedAt)
    return isLater ? { ...token, lastUsedAt: known } : token
  }
}
