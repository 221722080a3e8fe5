import type { Computation, Destination, Source } from '@hookline/protocol'
import type { DatabaseSync } from 'node:sqlite'
import type { SecretBox } from '../../../util/secrets/secret-box.ts'
import type { AuditEntry } from '../../audit.ts'
import {
  type Catalog,
  CatalogConflict,
  type CatalogRecords,
  type CatalogSnapshot,
  snapshotOf,
} from '../../catalog.ts'
import { openDestination, sealDestination, type SealedDestination } from './sealed-destination.ts'
import type { CatalogRecord } from './write-catalog.ts'
import type { Writer } from '../writer.ts'

/** Sources and destinations in the table `catalog`, read once at the start: only this process writes it. */
export class SqliteCatalog implements Catalog {
  readonly #writer: Writer
  readonly #box: SecretBox
  readonly #listeners = new Set<() => void>()
  #current: CatalogSnapshot

  constructor(writer: Writer, reader: DatabaseSync, box: SecretBox) {
    this.#writer = writer
    this.#box = box
    const read = reader.prepare('SELECT document FROM catalog WHERE kind = ?')
    const documents = <T>(kind: CatalogRecord['kind']): T[] =>
      read.all(kind).map(({ document }) => JSON.parse(String(document)) as T)
    // A destination that was stored by a version without pauses is not paused.
    const destinations = documents<SealedDestination>('destination').map((each) => ({
      ...openDestination(each, box),
      paused: each.paused ?? null,
    }))
    this.#current = snapshotOf(
      documents<Source>('source'),
      destinations,
      documents<Computation>('computation'),
    )
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
    const arePut = await this.#writer.run('putCatalogRecords', records, audit)
    if (!arePut) throw new CatalogConflict(conflictOf(records))
    const { current } = this
    this.#replace(
      withRecords(current.sources, sources),
      withRecords(current.destinations, destinations),
      withRecords(current.computations, computations),
    )
  }

  async removeSource(id: string, audit?: AuditEntry): Promise<void> {
    const orphans = this.#current.destinationsBySource.get(id) ?? []
    const records = [
      { kind: 'source' as const, id },
      ...orphans.map((orphan) => ({ kind: 'destination' as const, id: orphan.id })),
    ]
    await this.#writer.run('removeCatalogRecord', records, audit)
    const { sources, destinations, computations } = this.#current
    this.#replace(
      sources.values().filter((source) => source.id !== id),
      destinations.values().filter((destination) => destination.sourceId !== id),
      computations.values(),
    )
  }

  async removeDestination(id: string, audit?: AuditEntry): Promise<void> {
    await this.#writer.run('removeCatalogRecord', [{ kind: 'destination', id }], audit)
    const { sources, destinations, computations } = this.#current
    this.#replace(
      sources.values(),
      destinations.values().filter((destination) => destination.id !== id),
      computations.values(),
    )
  }

  async removeComputation(id: string, audit?: AuditEntry): Promise<void> {
    await this.#writer.run('removeCatalogRecord', [{ kind: 'computation', id }], audit)
    const { sources, destinations, computations } = this.#current
    this.#replace(
      sources.values(),
      destinations.values(),
      computations.values().filter((computation) => computation.id !== id),
    )
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #replace(
    sources: Iterable<Source>,
    destinations: Iterable<Destination>,
    computations: Iterable<Computation>,
  ): void {
    this.#current = snapshotOf(sources, destinations, computations)
    for (const listener of this.#listeners) listener()
  }
}

function withRecords<T extends { readonly id: string }>(
  kept: ReadonlyMap<string, T>,
  put: readonly T[],
): Iterable<T> {
  return new Map([...kept, ...put.map((each) => [each.id, each] as const)]).values()
}

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
