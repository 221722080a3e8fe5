import type { Computation, Destination, Source } from '@hookline/protocol'
import type { DatabaseSync } from 'node:sqlite'
import type { SecretBox } from '../../../util/secrets/secret-box.ts'
import type { AuditEntry } from '../../audit.ts'
import {
  type Catalog,
  type CatalogChange,
  CatalogConflict,
  type CatalogRecords,
  type CatalogSnapshot,
  withChange,
} from '../../catalog.ts'
import type { SharedChanges } from '../shared-changes.ts'
import { readCatalog } from './read-catalog.ts'
import { sealDestination, type SealedDestination } from './sealed-destination.ts'
import type { CatalogRecord } from './write-catalog.ts'
import type { Writer } from '../writer.ts'

/** Sources and destinations in the table `catalog`, read once at the start: only this process writes it, and in it the main thread. */
export class SqliteCatalog implements Catalog {
  readonly #writer: Writer
  readonly #box: SecretBox
  readonly #changes: SharedChanges
  readonly #listeners = new Set<() => void>()
  #current: CatalogSnapshot

  constructor(writer: Writer, reader: DatabaseSync, box: SecretBox, changes: SharedChanges) {
    this.#writer = writer
    this.#box = box
    this.#changes = changes
    this.#current = readCatalog(reader, box)
  }

  get current(): CatalogSnapshot {
    return this.#current
  }

  putSource(source: Source, audit?: AuditEntry): Promise<void> {
    return this.putAll({ sources: [source], destinations: [] }, audit)
  }

  putDestination(destination: Destination, audit?: AuditEntry): Promise<void> {
    return this.putAll({ sources: [], destinations: [destination] }, audit)
  }

  putComputation(computation: Computation, audit?: AuditEntry): Promise<void> {
    return this.putAll({ sources: [], destinations: [], computations: [computation] }, audit)
  }

  async putAll(
    { sources, destinations, computations = [] }: CatalogRecords,
    audit?: AuditEntry,
  ): Promise<void> {
    const records = [
      ...sources.map((each) => recordOf('source', each, each)),
      ...destinations.map((each) =>
        recordOf('destination', each, sealDestination(each, this.#box)),
      ),
      ...computations.map((each) => recordOf('computation', each, each)),
    ]
    await this.#changes.prepare(destinations)
    const arePut = await this.#writer.run('putCatalogRecords', records, audit)
    if (!arePut) throw new CatalogConflict(conflictOf(records))
    await this.#apply({ put: { sources, destinations, computations }, removed: [] })
  }

  async removeSource(id: string, audit?: AuditEntry): Promise<void> {
    const orphans = (this.#current.destinationsBySource.get(id) ?? []).map((orphan) => orphan.id)
    const records = [
      { kind: 'source' as const, id },
      ...orphans.map((orphan) => ({ kind: 'destination' as const, id: orphan })),
    ]
    await this.#writer.run('removeCatalogRecord', records, audit)
    await this.#apply({ put: NOTHING, removed: [id, ...orphans] })
  }

  async removeDestination(id: string, audit?: AuditEntry): Promise<void> {
    await this.#writer.run('removeCatalogRecord', [{ kind: 'destination', id }], audit)
    await this.#apply({ put: NOTHING, removed: [id] })
  }

  async removeComputation(id: string, audit?: AuditEntry): Promise<void> {
    await this.#writer.run('removeCatalogRecord', [{ kind: 'computation', id }], audit)
    await this.#apply({ put: NOTHING, removed: [id] })
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async #apply(change: CatalogChange): Promise<void> {
    this.#current = withChange(this.#current, change)
    for (const listener of this.#listeners) listener()
    await this.#changes.tell({ kind: 'catalog', change })
  }
}

const NOTHING: CatalogRecords = { sources: [], destinations: [] }

function recordOf(
  kind: CatalogRecord['kind'],
  { id, version }: Source | Destination | Computation,
  stored: Source | SealedDestination | Computation,
): CatalogRecord {
  return { kind, id, version, document: JSON.stringify(stored) }
}

function conflictOf(records: readonly CatalogRecord[]): string {
  const [first] = records
  return records.length === 1
    ? `${first!.id} has changed since version ${first!.version - 1}.`
    : `One of ${records.length} records has changed.`
}
