import type { Destination } from '@hookline/protocol'
import {
  type CatalogChange,
  type CatalogSnapshot,
  type FollowedCatalog,
  withChange,
} from '../../catalog.ts'

/** The catalog in a thread that has joined: the main thread writes it, and tells every change. */
export class JoinedCatalog implements FollowedCatalog {
  /** Asks the main thread. When it resolves, the change was applied here. */
  readonly putDestination: (destination: Destination) => Promise<void>
  readonly #listeners = new Set<() => void>()
  #current: CatalogSnapshot

  constructor(current: CatalogSnapshot, putDestination: JoinedCatalog['putDestination']) {
    this.#current = current
    this.putDestination = putDestination
  }

  get current(): CatalogSnapshot {
    return this.#current
  }

  /** The main thread has changed it. */
  apply(change: CatalogChange): void {
    this.#current = withChange(this.#current, change)
    for (const listener of this.#listeners) listener()
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
