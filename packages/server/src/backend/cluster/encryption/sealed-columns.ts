import { type RawBuilder, sql } from 'kysely'
import { laneHash } from '../deliveries/rows/lane-hash.ts'

/** A column of texts that the encryption key seals. */
export interface SealedColumn {
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

export interface SealedHash {
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
export const SEALED_COLUMNS: readonly SealedColumn[] = [
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
export function keyIdIn({ sealed }: SealedColumn): RawBuilder<unknown> {
  return sql`split_part(${sql.id(sealed)}, '.', 1)`
}
