import { SharedRefresh } from '../../util/workers/shared-refresh.ts'
import type { StoredToken, Tokens } from '../tokens.ts'
import { sql } from './sql.ts'
import type { Store, Tx } from './store.ts'

interface Row {
  readonly document: string
  readonly last_used_at: number | null
}

/** A stored time this far ahead of the clock is replaced: the clock was set back. */
export const SET_BACK_MS = 3_600_000

/** Tokens in memory and in the table `tokens`. The latest use wins, so nodes do not keep overwriting each other. */
export async function openTokens(store: Store): Promise<Tokens> {
  /** Uses that are being written. */
  const marking = new Map<string, number>()
  let current: ReadonlyMap<string, StoredToken> = new Map()
  const set = (token: StoredToken): void => {
    current = new Map(current).set(token.id, token)
  }
  const read = async (): Promise<void> => {
    const rows = await store.lookUp(sql<Row>`SELECT document, last_used_at FROM tokens ORDER BY id`)
    const tokens = rows.map(({ document, last_used_at: stored }) => {
      const token = JSON.parse(document) as StoredToken
      return { ...token, lastUsedAt: marking.get(token.id) ?? stored }
    })
    const byId = new Map(tokens.map((token) => [token.id, token]))
    // Ids from the same millisecond are unordered: known tokens come before new ones.
    const before = [...current.keys()].flatMap((id) => byId.get(id) ?? [])
    current = new Map([...before, ...tokens].map((token) => [token.id, token]))
  }
  await read()
  const refreshes = new SharedRefresh(read)
  store.follow('tokens', () => refreshes.run())
  store.follow('token-uses', () => refreshes.run())
  return {
    get current() {
      return current
    },

    async add(token, audit) {
      const { lastUsedAt, ...kept } = token
      const row = { id: token.id, document: JSON.stringify(kept), lastUsedAt }
      await store.write(addToken, row, { audit, changes: 'tokens' })
      // The token is durable, so the call succeeds even if the read fails. The next refresh reads again.
      await refreshes.run().catch(() => set(token))
      await store.spread('tokens')
    },

    async remove(id, audit) {
      await store.write(removeToken, id, { audit, changes: 'tokens' })
      await refreshes.run().catch(() => {
        current = new Map([...current].filter(([each]) => each !== id))
      })
      await store.spread('tokens')
    },

    async markUsed(id, at) {
      const token = current.get(id)
      if (token === undefined || !isLaterUse(at, token.lastUsedAt)) return
      set({ ...token, lastUsedAt: at })
      marking.set(id, at)
      try {
        await store.write(markTokenUsed, { id, at }, { changes: 'token-uses' })
      } finally {
        if (marking.get(id) === at) marking.delete(id)
      }
    },
  }
}

/** Whether a use replaces the stored one. */
export function isLaterUse(at: number, before: number | null): boolean {
  return before === null || at > before || at < before - SET_BACK_MS
}

type AddedToken = Pick<StoredToken, 'id' | 'lastUsedAt'> & { readonly document: string }

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
