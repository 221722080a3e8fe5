import type { Destination } from '@hookline/protocol'
import {
  type Catalog,
  type CatalogSnapshot,
  snapshotOf,
} from '../../../../packages/server/src/backend/catalog.ts'
import type { DurableState } from './durable-state.ts'

/**
 * The destinations in memory. Each change is durable at once. Only the simulation makes changes, so there are no
 * conflicts.
 */
export class MemoryCatalog implements Catalog {
  readonly #state: DurableState
  readonly #listeners = new Set<() => void>()
  #current: CatalogSnapshot

  constructor(state: DurableState) {
    this.#state = state
    this.#current = snapshotOf([], state.destinations.values(), [])
  }

  get current(): CatalogSnapshot {
    return this.#current
  }

  async putDestination(destination: Destination): Promise<void> {
    this.#state.destinations.set(destination.id, destination)
    this.#state.destinationIds.add(destination.id)
    this.#changed()
  }

  async removeDestination(id: string): Promise<void> {
    this.#state.destinations.delete(id)
    this.#changed()
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

  #changed(): void {
    this.#current = snapshotOf([], this.#state.destinations.values(), [])
    for (const listener of this.#listeners) listener()
  }
}
