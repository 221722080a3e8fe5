import { sql, type Transaction } from 'kysely'
import type { SecretBox } from '../../../util/secrets/secret-box.ts'
import type { Postgres } from '../postgres/postgres.ts'
import { sealAgain } from './seal-again.ts'
import { keyIdIn, SEALED_COLUMNS } from './sealed-columns.ts'

/** The data is encrypted with a key that this node does not have. */
export class EncryptionKeyMismatch extends Error {
  override readonly name = 'EncryptionKeyMismatch'
}

/**
 * Checks the keys of this node against those that nodes have sealed with, and records the one that it seals with. A key is
 * changed in three steps, each on all nodes, one node after the other:
 *
 *     old ─▶ old, new ─▶ new, old: what the old one has sealed is sealed again ─▶ new: the old one is forgotten
 *
 * @throws {EncryptionKeyMismatch} where something is sealed with a key that is not in the box; then nothing is recorded
 */
export async function checkEncryptionKey(postgres: Postgres, box: SecretBox): Promise<void> {
  const used = await recordKey(postgres, box)
  // A node that still has the keys in the other order seals nothing again.
  if (used.length > 1 && used.at(-1) === box.keyId) await sealAgain(postgres, box)
}

/** Returns the ids of the keys that nodes have sealed with, the newest one last. */
function recordKey(postgres: Postgres, box: SecretBox): Promise<readonly string[]> {
  return postgres.write(async (transaction) => {
    // Of nodes with different keys that start together on an empty database, only one may find it empty.
    await sql`LOCK TABLE encryption_keys IN SHARE ROW EXCLUSIVE MODE`.execute(transaction)
    const known = await keysIn(transaction)
    const missing = known.filter((id) => !box.has(id))
    if (missing.length > 0) {
      const isNewest = known.at(-1) === box.keyId
      if (!isNewest || (await areUsed(transaction, missing))) throw mismatch(box, missing)
      await sql`DELETE FROM encryption_keys WHERE id = ANY(${missing}::text[])`.execute(transaction)
    }
    await sql`INSERT INTO encryption_keys (id) VALUES (${box.keyId}) ON CONFLICT (id) DO NOTHING`.execute(
      transaction,
    )
    return keysIn(transaction)
  })
}

async function keysIn(transaction: Transaction<unknown>): Promise<string[]> {
  const { rows } = await sql<{ readonly id: string }>`
    SELECT id FROM encryption_keys ORDER BY number`.execute(transaction)
  return rows.map(({ id }) => id)
}

/** Whether anything is sealed with one of these keys. */
async function areUsed(
  transaction: Transaction<unknown>,
  keyIds: readonly string[],
): Promise<boolean> {
  for (const column of SEALED_COLUMNS) {
    const { rows } = await sql`SELECT 1 FROM ${sql.id(column.table)}
      WHERE ${keyIdIn(column)} = ANY(${keyIds}::text[]) LIMIT 1`.execute(transaction)
    if (rows.length > 0) return true
  }
  return false
}

function mismatch(box: SecretBox, missing: readonly string[]): EncryptionKeyMismatch {
  return new EncryptionKeyMismatch(
    `The secrets in the database are encrypted with the key ${missing.join(', ')}, which HOOKLINE_ENCRYPTION_KEY of this ` +
      `node does not have: its first key is ${box.keyId}. Set it to the same keys on all nodes. To change the key, add the ` +
      'new one after the old one, separated by a comma, and restart all nodes; then do the same with the new one first; ' +
      'then without the old one.',
  )
}
