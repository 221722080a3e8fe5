import { randomUUID } from 'node:crypto'
import type {
  IdempotentResponse,
  IdempotentResponses,
  ResponseToStore,
} from '../idempotent-responses.ts'
import { sql } from './sql.ts'
import type { Store, Tx } from './store.ts'

/** The maximum number of expired responses that one call removes. Each call adds at most one. */
const MAX_REMOVED = 100

/** Responses in `idempotent_responses`, and keys of requests in progress in `reserved_keys`. */
export function storedIdempotentResponses(store: Store): IdempotentResponses {
  const node = randomUUID()
  return {
    reserve: (key, times) => store.write(reserveKey, { key, node, ...times }),
    release: (key) => store.write(releaseKey, { key, node }),
    add: async (kept) => void (await store.write(addResponse, kept)),

    async find(key, now) {
      const [row] = await store.lookUp(sql<IdempotentResponse>`
        SELECT key, fingerprint, sealed, expires_at AS "expiresAt"
        FROM idempotent_responses WHERE key = ${key} AND expires_at > ${now}`)
      return row && { ...row }
    },
  }
}

interface ReservedKey {
  readonly key: string
  readonly node: string
  readonly now: number
  readonly until: number
}

export async function reserveKey(tx: Tx, { key, node, now, until }: ReservedKey): Promise<boolean> {
  const reserved = await tx.run(sql`
    INSERT INTO reserved_keys AS kept (key, node, until)
    SELECT ${key}, ${node}, ${until}
    WHERE NOT EXISTS (SELECT 1 FROM idempotent_responses WHERE key = ${key} AND expires_at > ${now})
    ON CONFLICT (key) DO UPDATE SET node = excluded.node, until = excluded.until WHERE kept.until <= ${now}`)
  return reserved > 0
}

export async function releaseKey(tx: Tx, { key, node }: Pick<ReservedKey, 'key' | 'node'>) {
  await tx.run(sql`DELETE FROM reserved_keys WHERE key = ${key} AND node = ${node}`)
}

/** Stores a response, and removes some expired ones. Resolves to false if the key already has a response. */
export async function addResponse(
  tx: Tx,
  { response: { key, fingerprint, sealed, expiresAt }, now }: ResponseToStore,
): Promise<boolean> {
  await tx.run(sql`DELETE FROM idempotent_responses WHERE key IN (
    SELECT key FROM idempotent_responses WHERE expires_at <= ${now} AND key <> ${key}
    ORDER BY expires_at LIMIT ${MAX_REMOVED} ${tx.dialect.skipLocked})`)
  const written = await tx.run(sql`
    INSERT INTO idempotent_responses AS kept (key, fingerprint, sealed, expires_at)
    VALUES (${key}, ${fingerprint}, ${sealed}, ${expiresAt})
    ON CONFLICT (key) DO UPDATE
      SET fingerprint = excluded.fingerprint, sealed = excluded.sealed, expires_at = excluded.expires_at
      WHERE kept.expires_at <= ${now}`)
  return written > 0
}
