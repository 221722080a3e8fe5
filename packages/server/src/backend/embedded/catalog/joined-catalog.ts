import type { Destination } from '@hookline/protocol'
import {
  type CatalogChange,
  CatalogConflict,
  type CatalogSnapshot,
  type FollowedCatalog,
  withChange,
} from '../../catalog.ts'

/** The catalog in a thread that has joined: the main thread writes it, and tells every change. */
export class JoinedCatalog implements FollowedCatalog {
  readonly #put: (destination: Destination) => Promise<void>
  readonly #listeners = new Set<() => void>()
  #current: CatalogSnapshot

  /** @param put asks the main thread. When it resolves, the change was applied here. */
  constructor(current: CatalogSnapshot, put: (destination: Destination) => Promise<void>) {
    this.#current = current
    this.#put = put
  }

  get current(): CatalogSnapshot {
    return this.#current
  }

  /** The main thread has changed it. */
  apply(change: CatalogChange): void {
    this.#current = withChange(this.#current, change)
    for (const listener of this.#listeners) listener()
  }

  async putDestination(destination: Destination): Promise<void> {
    try {
      await this.#put(destination)
    } catch (error) {
      // An error loses its class on its way.
      const { name, message } = error as Error
      throw name === 'CatalogConflict' ? new CatalogConflict(message) : error
    }
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
