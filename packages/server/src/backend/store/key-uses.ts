import { SharedRefresh } from '../../util/workers/shared-refresh.ts'
import type { KeyUses } from '../catalog.ts'
import { sql } from './sql.ts'
import type { Store, Tx } from './store.ts'
import { isLaterUse, SET_BACK_MS } from './tokens.ts'

interface Row {
  readonly key: string
  readonly last_used_at: number
  readonly number: number
}

/**
 * Uses of write keys in the memory of this node, and in the table `key_uses`. A node reads those that other nodes have marked
 * since its last read. Of the times that nodes mark, the latest one stays, as with tokens.
 */
export class StoredKeyUses implements KeyUses {
  readonly #store: Store
  readonly #refreshes = new SharedRefresh(() => this.#read())
  readonly #lastUsedAt = new Map<string, number>()
  /** The largest number of a change that was read. */
  #reached = 0

  private constructor(store: Store) {
    this.#store = store
  }

  static async open(store: Store): Promise<StoredKeyUses> {
    const uses = new StoredKeyUses(store)
    await uses.#read()
    store.follow('key-uses', () => uses.#refreshes.run())
    return uses
  }

  lastUsedAt(key: string): number | undefined {
    return this.#lastUsedAt.get(key)
  }

  async mark(key: string, at: number): Promise<void> {
    this.#lastUsedAt.set(key, at)
    await this.#store.write(markKeyUsed, { key, at }, { changes: 'key-uses' })
  }

  async #read(): Promise<void> {
    const rows = await this.#store.lookUp(sql<Row>`
      SELECT key, last_used_at, number FROM key_uses WHERE number > ${this.#reached}`)
    for (const { key, last_used_at: at, number } of rows) {
      // A use that was marked here may not be in the table yet.
      if (isLaterUse(at, this.#lastUsedAt.get(key) ?? null)) this.#lastUsedAt.set(key, at)
      this.#reached = Math.max(this.#reached, number)
    }
  }
}

export async function markKeyUsed(
  tx: Tx,
  { key, at }: { readonly key: string; readonly at: number },
): Promise<void> {
  await tx.run(sql`
    INSERT INTO key_uses AS kept (key, last_used_at, number) VALUES (${key}, ${at}, ${tx.changeNumber})
    ON CONFLICT (key) DO UPDATE SET last_used_at = excluded.last_used_at, number = excluded.number
      WHERE excluded.last_used_at > kept.last_used_at
        OR excluded.last_used_at < kept.last_used_at - ${SET_BACK_MS}`)
}
