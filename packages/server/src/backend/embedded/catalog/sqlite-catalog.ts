import type { Destination, Source } from '@hookline/protocol'
import type { DatabaseSync } from 'node:sqlite'
import type { SecretBox } from '../../../util/secret-box.ts'
import { type Catalog, CatalogConflict, type CatalogSnapshot, snapshotOf } from '../../catalog.ts'
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
    this.#current = snapshotOf(documents<Source>('source'), destinations)
  }

  get current(): CatalogSnapshot {
    return this.#current
  }

  async putSource(source: Source): Promise<void> {
    await this.#put('source', source, source)
    const sources = new Map(this.#current.sources).set(source.id, source)
    this.#replace(sources.values(), this.#current.destinations.values())
  }

  async removeSource(id: string): Promise<void> {
    const orphans = this.#current.destinationsBySource.get(id) ?? []
    await this.#writer.run('removeCatalogRecord', [
      { kind: 'source', id },
      ...orphans.map((orphan) => ({ kind: 'destination' as const, id: orphan.id })),
    ])
    const { sources, destinations } = this.#current
    this.#replace(
      sources.values().filter((source) => source.id !== id),
      destinations.values().filter((destination) => destination.sourceId !== id),
    )
  }

  async putDestination(destination: Destination): Promise<void> {
    await this.#put('destination', destination, sealDestination(destination, this.#box))
    const destinations = new Map(this.#current.destinations).set(destination.id, destination)
    this.#replace(this.#current.sources.values(), destinations.values())
  }

  async removeDestination(id: string): Promise<void> {
    await this.#writer.run('removeCatalogRecord', [{ kind: 'destination', id }])
    const { sources, destinations } = this.#current
    this.#replace(
      sources.values(),
      destinations.values().filter((destination) => destination.id !== id),
    )
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async #put(
    kind: CatalogRecord['kind'],
    { id, version }: Source | Destination,
    stored: Source | SealedDestination,
  ): Promise<void> {
    const document = JSON.stringify(stored)
    const isReplaced = await this.#writer.run('putCatalogRecord', { kind, id, version, document })
    if (!isReplaced) throw new CatalogConflict(`${id} has changed since version ${version - 1}.`)
  }

  #replace(sources: Iterable<Source>, destinations: Iterable<Destination>): void {
    this.#current = snapshotOf(sources, destinations)
    for (const listener of this.#listeners) listener()
  }
}
