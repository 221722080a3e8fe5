import type { Destination, Source } from '@hookline/protocol'
import type { CatalogSnapshot } from './catalog.ts'

/** The catalog with its look-up tables made. */
export function snapshotOf(
  sources: Iterable<Source>,
  destinations: Iterable<Destination>,
): CatalogSnapshot {
  const byId = new Map([...sources].toSorted(byAge).map((source) => [source.id, source]))
  const all = [...destinations].toSorted(byAge)
  return {
    sources: byId,
    destinations: new Map(all.map((destination) => [destination.id, destination])),
    sourceByWriteKey: new Map(
      [...byId.values()].flatMap((source) => source.writeKeys.map(({ key }) => [key, source])),
    ),
    destinationsBySource: Map.groupBy(all, ({ sourceId }) => sourceId),
  }
}

function byAge(a: { readonly id: string }, b: { readonly id: string }): number {
  return a.id < b.id ? -1 : 1
}
