import type { Computation, Destination, Source, WebhooksSettings } from '@hookline/protocol'
import type { SecretBox } from '../../../util/secrets/secret-box.ts'
import type { CatalogRecords } from '../../catalog.ts'

export type CatalogKind = 'source' | 'destination' | 'computation'

/** A record as the table `catalog` keeps it. */
export interface CatalogRecord {
  readonly kind: CatalogKind
  readonly id: string
  readonly version: number
  /** Of a destination. */
  readonly sourceId?: string
  /** JSON, without the settings of a destination. */
  readonly document: string
  /** Those settings, which contain its secrets, sealed under its id. */
  readonly settings?: string
}

type AnyRecord = Source | Destination | Computation

export function catalogRecordsOf(
  { sources, destinations, computations = [] }: CatalogRecords,
  box: SecretBox,
): CatalogRecord[] {
  return [
    ...sources.map((each) => recordOf('source', each)),
    ...destinations.map(({ settings, ...each }) => ({
      ...recordOf('destination', each),
      sourceId: each.sourceId,
      settings: box.seal(JSON.stringify(settings), each.id),
    })),
    ...computations.map((each) => recordOf('computation', each)),
  ]
}

/** @throws {SecretBoxError} where settings were sealed with a key that is not in the box, or altered */
export function openRecord(
  { document, settings }: { readonly document: string; readonly settings: string | null },
  box: SecretBox,
): AnyRecord {
  const record = JSON.parse(document) as AnyRecord
  if (settings === null) return record
  const opened = JSON.parse(box.open(settings, record.id)) as WebhooksSettings
  return { ...record, settings: opened }
}

function recordOf(
  kind: CatalogKind,
  record: { readonly id: string; readonly version: number },
): CatalogRecord {
  return { kind, id: record.id, version: record.version, document: JSON.stringify(record) }
}
