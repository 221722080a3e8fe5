import { type RawBuilder, sql } from 'kysely'
import { type SecretBox, SecretBoxError } from '../../../util/secrets/secret-box.ts'
import type { Postgres } from '../postgres/postgres.ts'
import { fromText } from '../postgres/text.ts'
import { keyIdIn, SEALED_COLUMNS, type SealedColumn, type SealedHash } from './sealed-columns.ts'

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
