import type { Computation, Source } from '@hookline/protocol'
import type { DatabaseSync } from 'node:sqlite'
import type { SecretBox } from '../../../util/secrets/secret-box.ts'
import { type CatalogSnapshot, snapshotOf } from '../../catalog.ts'
import { openDestination, type SealedDestination } from './sealed-destination.ts'
import type { CatalogRecord } from './write-catalog.ts'

/** Reads the whole table `catalog`. */
export function readCatalog(reader: DatabaseSync, box: SecretBox): CatalogSnapshot {
  const read = reader.prepare('SELECT document FROM catalog WHERE kind = ?')
  const documents = <T>(kind: CatalogRecord['kind']): T[] =>
    read.all(kind).map(({ document }) => JSON.parse(String(document)) as T)
  // A destination that was stored by a version without pauses is not paused.
  const destinations = documents<SealedDestination>('destination').map((each) => ({
    ...openDestination(each, box),
    paused: each.paused ?? null,
  }))
  return snapshotOf(
    documents<Source>('source'),
    destinations,
    documents<Computation>('computation'),
  )
}
