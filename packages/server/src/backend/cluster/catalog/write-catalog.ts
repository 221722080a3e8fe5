import { type RawBuilder, sql, type Transaction } from 'kysely'
import { toText } from '../postgres/text.ts'
import type { CatalogRecord } from './catalog-record.ts'

/**
 * Inserts records of version 1, and replaces the version before of the others. Returns whether it put all of them; the
 * caller rolls back where it did not. The caller holds the lock that `ChangeFeed.tell` takes.
 */
export async function putRecords(
  transaction: Transaction<unknown>,
  records: readonly CatalogRecord[],
  number: number,
): Promise<boolean> {
  const texts = (of: (record: CatalogRecord) => string | null): (string | null)[] => records.map(of)
  const { rows } = await sql`
    INSERT INTO catalog (kind, id, version, number, source_id, document, settings)
    SELECT kind, id, version, ${number}, source_id, document, settings
    FROM unnest(${texts(({ kind }) => kind)}::text[], ${texts(({ id }) => toText(id))}::text[],
      ${records.map(({ version }) => version)}::bigint[],
      ${texts(({ sourceId }) => (sourceId === undefined ? null : toText(sourceId)))}::text[],
      ${texts(({ document }) => document)}::text[], ${texts(({ settings }) => settings ?? null)}::text[])
      AS put (kind, id, version, source_id, document, settings)
    WHERE version = 1 + coalesce((SELECT kept.version FROM catalog AS kept
      WHERE kept.kind = put.kind AND kept.id = put.id), 0)
    ON CONFLICT (kind, id) DO UPDATE SET version = excluded.version, number = excluded.number,
      source_id = excluded.source_id, document = excluded.document, settings = excluded.settings
    RETURNING id`.execute(transaction)
  return rows.length === records.length
}

/** The records that a removal removes. */
const REMOVED = {
  /** With its destinations, those that this node does not know of included. */
  source: (id) =>
    sql`(kind = 'source' AND id = ${toText(id)}) OR (kind = 'destination' AND source_id = ${toText(id)})`,
  destination: (id) => sql`kind = 'destination' AND id = ${toText(id)}`,
  computation: (id) => sql`kind = 'computation' AND id = ${toText(id)}`,
} satisfies Record<CatalogRecord['kind'], (id: string) => RawBuilder<unknown>>

/** Removes what there is. */
export async function removeRecords(
  transaction: Transaction<unknown>,
  { kind, id }: Pick<CatalogRecord, 'kind' | 'id'>,
): Promise<void> {
  await sql`DELETE FROM catalog WHERE ${REMOVED[kind](id)}`.execute(transaction)
}
