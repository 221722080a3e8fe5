import type { Destination } from '@hookline/protocol'
import {
  type Catalog,
  type CatalogChange,
  CatalogConflictError,
  type CatalogSnapshot,
  snapshotOf,
} from '../../../../packages/server/src/backend/catalog.ts'
import type { BackendListener } from './backend-listener.ts'
import type { DurableState } from './durable-state.ts'
import type { MemoryChanges } from './memory-changes.ts'
import { newSource } from '@hookline/testing/records/catalog-records'

/** The source of every event in a simulation. */
export const SOURCES = [newSource()]

/**
 * Destinations in memory. Each change is durable immediately. Both the simulation and the engine make changes. A thread may
 * change a destination that has changed in the meantime, which is a conflict.
 */
export class MemoryCatalog implements Catalog {
  readonly #state: DurableState
  readonly #changes: MemoryChanges
  readonly #listener: BackendListener
  readonly #listeners = new Set<() => void>()
  #current: CatalogSnapshot

  constructor(state: DurableState, changes: MemoryChanges, listener: BackendListener) {
    this.#state = state
    this.#changes = changes
    this.#listener = listener
    this.#current = snapshotOf(SOURCES, state.destinations.values(), [])
  }

  get current(): CatalogSnapshot {
    return this.#current
  }

  async putDestination(destination: Destination): Promise<void> {
    const { destinations, destinationIds } = this.#state
    const { id, version } = destination
    if (version !== (destinations.get(id)?.version ?? 0) + 1)
      throw new CatalogConflictError(`${id} has changed since version ${version - 1}.`)
    await this.#change(
      id,
      { put: { sources: [], destinations: [destination] }, removed: [] },
      () => {
        destinations.set(id, destination)
        destinationIds.add(id)
      },
    )
  }

  async removeDestination(id: string): Promise<void> {
    const { destinations } = this.#state
    const change = { put: { sources: [], destinations: [] }, removed: [id] }
    await this.#change(id, change, () => destinations.delete(id))
  }

  async putSource(): Promise<void> {
    throw new Error('A simulation has no sources.')
  }

  async putAll(): Promise<void> {
    throw new Error('A simulation imports nothing.')
  }

  async removeSource(): Promise<void> {
    throw new Error('A simulation has no sources.')
  }

  async putComputation(): Promise<void> {
    throw new Error('A simulation has no audiences.')
  }

  async removeComputation(): Promise<void> {
    throw new Error('A simulation has no audiences.')
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Resolves when the threads have applied the change. */
  async #change(id: string, change: CatalogChange, make: () => void): Promise<void> {
    const isKnown = this.#listener.destinationChanges(id, this.#state.destinations.get(id))
    make()
    this.#current = snapshotOf(SOURCES, this.#state.destinations.values(), [])
    for (const listener of this.#listeners) listener()
    await this.#changes.publishAll({ kind: 'catalog', change }, isKnown)
  }
}
