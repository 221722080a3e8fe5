import { SharedRefresh } from '../../util/workers/shared-refresh.ts'
import type { AuditEntry } from '../audit.ts'
import type { StoredToken, Tokens } from '../tokens.ts'
import { sql } from './sql.ts'
import type { Store, Tx } from './store.ts'

interface Row {
  readonly document: string
  readonly last_used_at: number | null
}

/** A stored time that is this far ahead of the clock is replaced: the clock was set back. */
export const SET_BACK_MS = 3_600_000

/**
 * The tokens in the memory of this node, and in the table `tokens`. Of the times that nodes mark a token as used, the latest one
 * stays: clocks that differ by less than an hour do not make them mark in turns.
 */
export class StoredTokens implements Tokens {
  readonly #store: Store
  readonly #refreshes = new SharedRefresh(() => this.#read())
  /** Uses that may not be in the table yet. */
  readonly #marking = new Map<string, number>()
  #current: ReadonlyMap<string, StoredToken> = new Map()

  private constructor(store: Store) {
    this.#store = store
  }

  static async open(store: Store): Promise<StoredTokens> {
    const tokens = new StoredTokens(store)
    await tokens.#read()
    store.follow('tokens', () => tokens.#refreshes.run())
    store.follow('token-uses', () => tokens.#refreshes.run())
    return tokens
  }

  get current(): ReadonlyMap<string, StoredToken> {
    return this.#current
  }

  async add(token: StoredToken, audit?: AuditEntry): Promise<void> {
    const { lastUsedAt, ...kept } = token
    const row = { id: token.id, document: JSON.stringify(kept), lastUsedAt }
    await this.#store.write(addToken, row, { audit, changes: 'tokens' })
    // It is durable, so the call does not fail where only the read does. The next refresh reads again.
    await this.#refreshes.run().catch(() => this.#set(token))
    await this.#store.spread('tokens')
  }

  async remove(id: string, audit?: AuditEntry): Promise<void> {
    await this.#store.write(removeToken, id, { audit, changes: 'tokens' })
    await this.#refreshes.run().catch(() => {
      this.#current = new Map([...this.#current].filter(([each]) => each !== id))
    })
    await this.#store.spread('tokens')
  }

  async markUsed(id: string, at: number): Promise<void> {
    const token = this.#current.get(id)
    if (token === undefined || !isLaterUse(at, token.lastUsedAt)) return
    this.#set({ ...token, lastUsedAt: at })
    this.#marking.set(id, at)
    try {
      await this.#store.write(markTokenUsed, { id, at }, { changes: 'token-uses' })
    } finally {
      if (this.#marking.get(id) === at) this.#marking.delete(id)
    }
  }

  #set(token: StoredToken): void {
    this.#current = new Map(this.#current).set(token.id, token)
  }

  async #read(): Promise<void> {
    const rows = await this.#store.lookUp(
      sql<Row>`SELECT document, last_used_at FROM tokens ORDER BY id`,
    )
    const tokens = rows.map(({ document, last_used_at: stored }) => {
      const token = JSON.parse(document) as StoredToken
      return { ...token, lastUsedAt: this.#marking.get(token.id) ?? stored }
    })
    const byId = new Map(tokens.map((token) => [token.id, token]))
    // Ids of one millisecond are unordered: known tokens stay before new ones.
    const before = [...this.#current.keys()].flatMap((id) => byId.get(id) ?? [])
    this.#current = new Map([...before, ...tokens].map((token) => [token.id, token]))
  }
}

/** Whether a use replaces the one that was stored before, if any. */
export function isLaterUse(at: number, before: number | null): boolean {
  return before === null || at > before || at < before - SET_BACK_MS
}

interface AddedToken extends Pick<StoredToken, 'id' | 'lastUsedAt'> {
  /** JSON of the rest. */
  readonly document: string
}

export async function addToken(tx: Tx, { id, document, lastUsedAt }: AddedToken): Promise<void> {
  await tx.run(sql`INSERT INTO tokens (id, document, last_used_at)
    VALUES (${id}, ${document}, ${lastUsedAt})`)
}

export async function removeToken(tx: Tx, id: string): Promise<void> {
  await tx.run(sql`DELETE FROM tokens WHERE id = ${id}`)
}

export async function markTokenUsed(
  tx: Tx,
  { id, at }: { readonly id: string; readonly at: number },
): Promise<void> {
  await tx.run(sql`UPDATE tokens SET last_used_at = ${at}
    WHERE id = ${id} AND coalesce(${at} > last_used_at OR ${at} < last_used_at - ${SET_BACK_MS}, true)`)
}
