import type { AcceptedEvent } from '@hookline/protocol'
import type { Purge, Subject } from './deletions.ts'

/** A row of a table, by column. Secrets in it are not sealed. */
export type StoredRow = Readonly<Record<string, string | number | null>>

/** A row of the archive. */
export interface StoredEvent {
  readonly id: string
  /** Its position in the log. */
  readonly seq: number
  readonly duplicates: number
  readonly lastDuplicateAt: number | null
  /** `undefined` where the disk has changed it. */
  readonly event: AcceptedEvent | undefined
}

/** The rows of a group, and where the next group begins; `null` after the last one. */
export interface StoredSlice<Row> {
  readonly rows: readonly Row[]
  readonly next: string | null
}

/** Tables of rows. What belongs to another table comes after it. */
export const STORED_TABLES = [
  'catalog',
  'key_uses',
  'tokens',
  'audit',
  'idempotent_responses',
  'statistics',
  'declined',
  'lanes',
  'deliveries',
  'notices',
  'attempts',
  'waiting_parts',
  'quarantine',
  'replays',
  'replay_ends',
  'deletions',
  'deletion_ids',
  'suppressions',
  'cursors',
  'spaces',
  'identities',
  'identity_traits',
  'claims',
  'aliases',
  'fact_clauses',
  'facts',
  'computations',
  'results',
  'announced',
  'listed_users',
  'computation_changes',
  'syncs',
] as const

export type StoredTable = (typeof STORED_TABLES)[number]

/** A purge that has begun, of all ids of its deletion. */
export interface StoredPurge extends Pick<Purge, 'sourceIds'> {
  readonly subjects: readonly Subject[]
  /** The seq of the last event that it may remove. */
  readonly through: number
}

/** Numbers that the next record of a kind has to exceed. */
export interface LastNumbers {
  readonly event: number
  readonly lane: number
  readonly audit: number
  readonly identity: number
  readonly factClause: number
  readonly computation: number
}

/**
 * Everything that a stopped service has stored. It does not change while this is open. A slice has so few rows that they fit into
 * memory, and begins at a place that an earlier slice has returned, or at the beginning (`null`).
 */
export interface StoppedData extends Disposable {
  /** Tells this data, as it is now, from all other. */
  readonly identity: string
  readonly numbers: LastNumbers
  /** How many purges have changed profiles. */
  readonly profilePurges: number
  /** The key that signs receipts of deletions; `undefined` where none was made. */
  readonly receiptKey: string | undefined
  rows(table: StoredTable, place: string | null): StoredSlice<StoredRow>
  /** The archive, in the order of the log. `pending`: only what the pipeline has not finished. */
  events(of: 'all' | 'pending', place: string | null): StoredSlice<StoredEvent>
  openPurges(): readonly StoredPurge[]
}
