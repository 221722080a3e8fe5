import type { Catalog, CatalogSnapshot } from '../backend/catalog.ts'
import type { UpdateActivity } from '../telemetry/activity-listener.ts'

/**
 * Reports each record of the catalog that is added, changed or removed, by whatever changes it: a request, an import, a
 * webhook that Hookline pauses. Returns the function that stops it.
 */
export function watchCatalog(
  catalog: Catalog,
  onUpdate: (update: UpdateActivity) => void,
): () => void {
  let known = catalog.current
  return catalog.onChange(() => {
    const before = known
    known = catalog.current
    for (const update of updatesBetween(before, known)) onUpdate(update)
  })
}

function* updatesBetween(
  before: CatalogSnapshot,
  after: CatalogSnapshot,
): Generator<UpdateActivity> {
  for (const id of changed(before.sources, after.sources)) yield { resource: 'sources', id }
  for (const id of changed(before.destinations, after.destinations))
    yield { resource: 'destinations', id }
  for (const id of changed(before.computations, after.computations))
    yield { resource: id.startsWith('aud_') ? 'audiences' : 'traits', id }
}

function changed<T>(before: ReadonlyMap<string, T>, after: ReadonlyMap<string, T>): string[] {
  const ids = new Set([...before.keys(), ...after.keys()])
  return [...ids].filter((id) => before.get(id) !== after.get(id))
}
