import { type RawBuilder, sql, type Transaction } from 'kysely'
import { type SecretBox, SecretBoxError } from '../../../util/secrets/secret-box.ts'
import type { OwnKeyName, OwnKeys } from '../../nodes.ts'
import { laneHash } from '../deliveries/postgres-lanes.ts'
import type { Postgres } from '../postgres/postgres.ts'
import { fromText } from '../postgres/text.ts'

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

const SLICE_ROWS = 500

interface SealedRow {
  readonly key: string | number
  readonly sealed: string
  readonly label: string
}

interface SealedAgain extends SealedRow {
  readonly again: string
  readonly hash: string | null
}

/**
 * Seals with the first key of `box` what another one has sealed. What another node changes meanwhile, and what cannot be
 * opened, stays as it is. Several nodes may do it at once.
 */
export async function sealAgain(postgres: Postgres, box: SecretBox): Promise<void> {
  for (const column of SEALED_COLUMNS) {
    let rows = await oldRows(postgres, column, box.keyId)
    while (rows.length > 0) {
      const again = rows.flatMap((row) => sealedAgain(row, column, box))
      await replaceRows(postgres, column, again)
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

function sealedAgain(row: SealedRow, { hash }: SealedColumn, box: SecretBox): SealedAgain[] {
  const label = fromText(row.label)
  try {
    const text = box.open(row.sealed, label)
    const hashed = hash === undefined ? null : hash.of(label, text, box.keys[0]!)
    return [{ ...row, again: box.seal(text, label), hash: hashed }]
  } catch (error) {
    if (error instanceof SecretBoxError) return []
    throw error
  }
}

async function replaceRows(
  postgres: Postgres,
  { table, sealed, key, keyType, hash }: SealedColumn,
  rows: readonly SealedAgain[],
): Promise<void> {
  await postgres.run(sql`
    UPDATE ${sql.id(table)} AS kept SET ${sql.id(sealed)} = given.again ${newHash(table, hash)}
    FROM unnest(${rows.map((row) => row.key)}::${sql.raw(keyType)}[], ${rows.map((row) => row.sealed)}::text[],
      ${rows.map(({ again }) => again)}::text[], ${rows.map((row) => row.hash)}::text[])
      AS given (key, sealed, again, hash)
    WHERE ${sql.id('kept', key)} = given.key AND ${sql.id('kept', sealed)} = given.sealed`)
}

/** Where a node without the old key has made a row of the same text, that one is found by the new hash. */
function newHash(table: string, hash: SealedHash | undefined): RawBuilder<unknown> {
  if (hash === undefined) return sql``
  const column = sql.id(hash.column)
  const isWithin = hash.within.map(
    (each) => sql`${sql.id('other', each)} = ${sql.id('kept', each)}`,
  )
  return sql`, ${column} = CASE WHEN EXISTS (
    SELECT 1 FROM ${sql.id(table)} AS other
    WHERE ${sql.join(isWithin, sql` AND `)} AND ${sql.id('other', hash.column)} = given.hash
  ) THEN ${sql.id('kept', hash.column)} ELSE given.hash END`
}

/** A column of texts that the encryption key seals. */
interface SealedColumn {
  readonly table: string
  readonly sealed: string
  /** The column of the labels that the texts are sealed under. */
  readonly label: string
  /** What the rows are told apart by, with its type. */
  readonly key: string
  readonly keyType: 'text' | 'int' | 'bigint'
  /** A hash of the text under the key that seals. */
  readonly hash?: SealedHash
}

interface SealedHash {
  readonly column: string
  /** Columns: rows that have the same of them have different hashes. */
  readonly within: readonly string[]
  readonly of: (label: string, text: string, key: Buffer) => string
}

const LANE_HASH: SealedHash = {
  column: 'key',
  within: ['queue', 'destination_id'],
  of: (destinationId, url, key) => laneHash({ destinationId, url }, key),
}

/** Every such column. */
const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: 'catalog', sealed: 'settings', label: 'id', key: 'id', keyType: 'text' },
  {
    table: 'lanes',
    sealed: 'sealed_url',
    label: 'destination_id',
    key: 'number',
    keyType: 'int',
    hash: LANE_HASH,
  },
  { table: 'own_keys', sealed: 'sealed', label: 'name', key: 'name', keyType: 'text' },
  { table: 'audit', sealed: 'sealed', label: 'id', key: 'seq', keyType: 'bigint' },
]

/** The id of the key that a row is sealed with; NULL where it has nothing sealed. */
function keyIdIn({ sealed }: SealedColumn): RawBuilder<unknown> {
  return sql`split_part(${sql.id(sealed)}, '.', 1)`
}

/** Keys that the service makes for itself, in the database, sealed with the encryption key. */
export function ownKeysIn(postgres: Postgres, box: SecretBox): OwnKeys {
  const find = async (name: OwnKeyName): Promise<string | undefined> => {
    const [row] = await postgres.run(
      sql<{ readonly sealed: string }>`SELECT sealed FROM own_keys WHERE name = ${name}`,
    )
    return row && box.open(row.sealed, name)
  }
  return {
    async keyOf(name, make) {
      const kept = await find(name)
      if (kept !== undefined) return kept
      // Of nodes that make one at the same time, the first one's is kept.
      const sealed = box.seal(make(), name)
      await postgres.run(
        sql`INSERT INTO own_keys VALUES (${name}, ${sealed}) ON CONFLICT (name) DO NOTHING`,
      )
      return (await find(name))!
    },
  }
}
