import { type RawBuilder, sql, type Transaction } from 'kysely'
import { type SecretBox, SecretBoxError } from '../../../util/secrets/secret-box.ts'
import type { OwnKeyName, OwnKeys } from '../../nodes.ts'
import { laneHash } from '../deliveries/postgres-lanes.ts'
import type { Postgres } from '../postgres/postgres.ts'
import { fromText } from '../postgres/text.ts'

export class EncryptionKeyMismatchError extends Error {
  override readonly name = 'EncryptionKeyMismatchError'
}

/**
 * Checks the keys of this node against the recorded ones, and records its first key. A key is
 * changed in three steps, each on all nodes:
 *
 *     old ─▶ old, new ─▶ new, old: data is resealed with the new key ─▶ new: the old key is removed
 *
 * @throws {EncryptionKeyMismatchError} if data is sealed with a key that is not in the box; then
 * nothing is recorded
 */
export async function checkEncryptionKey(postgres: Postgres, box: SecretBox): Promise<void> {
  const used = await recordKey(postgres, box)
  // A node with the keys in the previous order reseals nothing.
  if (used.length > 1 && used.at(-1) === box.keyId) await reseal(postgres, box)
}

/** Returns the ids of all recorded keys, the newest one last. */
function recordKey(postgres: Postgres, box: SecretBox): Promise<readonly string[]> {
  return postgres.write(async (transaction) => {
    // Only one of several nodes that start together may find the table empty.
    await sql`LOCK TABLE encryption_keys IN SHARE ROW EXCLUSIVE MODE`.execute(transaction)
    const recorded = await keysIn(transaction)
    const missing = recorded.filter((id) => !box.has(id))
    if (missing.length > 0) {
      const isNewest = recorded.at(-1) === box.keyId
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

function mismatch(box: SecretBox, missing: readonly string[]): EncryptionKeyMismatchError {
  return new EncryptionKeyMismatchError(
    `The secrets in the database are encrypted with the key ${missing.join(', ')}, which is not in HOOKLINE_ENCRYPTION_KEY on ` +
      `this node (its first key is ${box.keyId}). Set HOOKLINE_ENCRYPTION_KEY to the same keys on all nodes. To rotate the ` +
      'key, restart all nodes three times: with the old and the new key, separated by a comma; with the new key first; and ' +
      'with the new key only.',
  )
}

const SLICE_ROWS = 500

interface SealedRow {
  readonly key: string | number
  readonly sealed: string
  readonly label: string
}

/**
 * Uses the first key of `box` to reseal data sealed with other keys. Rows that change in the meantime, or cannot be opened,
 * are left unchanged.
 */
export async function reseal(postgres: Postgres, box: SecretBox): Promise<void> {
  for (const column of SEALED_COLUMNS) {
    let rows = await oldRows(postgres, column, box.keyId)
    while (rows.length > 0) {
      const replacements = rows.flatMap((row) => sealedAgain(row, column, box))
      await replaceRows(postgres, column, replacements)
      rows = await oldRows(postgres, column, box.keyId, rows.at(-1)!.key)
    }
  }
}

function oldRows(
  postgres: Postgres,
  column: SealedColumn,
  keyId: string,
  after?: SealedRow['key'],
): Promise<SealedRow[]> {
  const key = sql.id(column.key)
  return postgres.run(sql<SealedRow>`
    SELECT ${key} AS key, ${sql.id(column.sealed)} AS sealed, ${sql.id(column.label)} AS label
    FROM ${sql.id(column.table)}
    WHERE ${keyIdIn(column)} <> ${keyId} AND ${after === undefined ? sql`TRUE` : sql`${key} > ${after}`}
    ORDER BY ${key} LIMIT ${SLICE_ROWS}`)
}

function sealedAgain(row: SealedRow, { table }: SealedColumn, box: SecretBox) {
  const label = fromText(row.label)
  try {
    const text = box.open(row.sealed, label)
    const lane = { destinationId: label, url: text }
    const hash = table === 'lanes' ? laneHash(lane, box.keys[0]!) : null
    return [{ ...row, resealed: box.seal(text, label), hash }]
  } catch (error) {
    if (error instanceof SecretBoxError) return []
    throw error
  }
}

async function replaceRows(
  postgres: Postgres,
  { table, sealed, key, keyType }: SealedColumn,
  rows: ReturnType<typeof sealedAgain>,
): Promise<void> {
  await postgres.run(sql`
    UPDATE ${sql.id(table)} AS stored
    SET ${sql.id(sealed)} = changed.resealed ${table === 'lanes' ? NEW_LANE_KEY : sql``}
    FROM unnest(${rows.map((row) => row.key)}::${sql.raw(keyType)}[], ${rows.map((row) => row.sealed)}::text[],
      ${rows.map(({ resealed }) => resealed)}::text[], ${rows.map((row) => row.hash)}::text[])
      AS changed (key, sealed, resealed, hash)
    WHERE ${sql.id('stored', key)} = changed.key AND ${sql.id('stored', sealed)} = changed.sealed`)
}

/**
 * Sets the new hash of a lane, unless a node without the old key has inserted a row with that hash.
 */
const NEW_LANE_KEY = sql`, key = CASE WHEN EXISTS (
  SELECT FROM lanes AS other
  WHERE other.queue = stored.queue AND other.destination_id = stored.destination_id AND other.key = changed.hash
) THEN stored.key ELSE changed.hash END`

/** Columns of sealed texts, with the columns of their labels and of the primary key. */
const SEALED_COLUMNS = [
  { table: 'catalog', sealed: 'settings', label: 'id', key: 'id', keyType: 'text' },
  { table: 'lanes', sealed: 'sealed_url', label: 'destination_id', key: 'number', keyType: 'int' },
  { table: 'own_keys', sealed: 'sealed', label: 'name', key: 'name', keyType: 'text' },
  { table: 'audit', sealed: 'sealed', label: 'id', key: 'seq', keyType: 'bigint' },
] as const

type SealedColumn = (typeof SEALED_COLUMNS)[number]

/** The id of the key that sealed a row; NULL without a sealed text. */
function keyIdIn({ sealed }: SealedColumn): RawBuilder<unknown> {
  return sql`split_part(${sql.id(sealed)}, '.', 1)`
}

/** Keys that the service generates, stored in the database and sealed with the encryption key. */
export function ownKeysIn(postgres: Postgres, box: SecretBox): OwnKeys {
  const find = async (name: OwnKeyName): Promise<string | undefined> => {
    const [row] = await postgres.run(
      sql<{ readonly sealed: string }>`SELECT sealed FROM own_keys WHERE name = ${name}`,
    )
    return row && box.open(row.sealed, name)
  }
  return {
    async keyOf(name, make) {
      const stored = await find(name)
      if (stored !== undefined) return stored
      // If several nodes generate one at the same time, the first one is stored.
      const sealed = box.seal(make(), name)
      await postgres.run(
        sql`INSERT INTO own_keys VALUES (${name}, ${sealed}) ON CONFLICT (name) DO NOTHING`,
      )
      return (await find(name))!
    },
  }
}
