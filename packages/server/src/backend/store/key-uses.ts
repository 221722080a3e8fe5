import { SharedRefresh } from '../../util/workers/shared-refresh.ts'
import type { KeyUses } from '../catalog.ts'
import { sql } from './sql.ts'
import type { Store, Tx } from './store.ts'
import { isLaterUse, SET_BACK_MS } from './tokens.ts'

interface KeyUseRow {
  readonly key: string
  readonly last_used_at: number
  readonly number: number
}

/** Uses of write keys in memory and in the table `key_uses`, where the latest use wins, as with tokens. */
export async function openKeyUses(store: Store): Promise<KeyUses> {
  const lastUsedAt = new Map<string, number>()
  let reached = 0
  const read = async (): Promise<void> => {
    const rows = await store.lookUp(sql<KeyUseRow>`
      SELECT key, last_used_at, number FROM key_uses WHERE number > ${reached}`)
    for (const { key, last_used_at: at, number } of rows) {
      // A use that this node marked may not be in the table yet.
      if (isLaterUse(at, lastUsedAt.get(key) ?? null)) lastUsedAt.set(key, at)
      reached = Math.max(reached, number)
    }
  }
  await read()
  const refreshes = new SharedRefresh(read)
  store.follow('key-uses', () => refreshes.run())
  return {
    lastUsedAt: (key) => lastUsedAt.get(key),
    mark(key, at) {
      lastUsedAt.set(key, at)
      return store.write(markKeyUsed, { key, at }, { changes: 'key-uses' })
    },
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
