import type { Destination } from '@hookline/protocol'
import type { SharedChange } from '../threads.ts'

/** Tells other threads of changes. What makes a change resolves when every listener has applied it. */
export class SharedChanges {
  readonly #listeners = new Set<(change: SharedChange) => Promise<unknown>>()
  readonly #prepare: (destinations: Iterable<Destination>) => Promise<void>

  /** @param prepare makes destinations ready for other threads, before these know of them */
  constructor(prepare: (destinations: Iterable<Destination>) => Promise<void>) {
    this.#prepare = prepare
  }

  /** Returns the function that removes the listener. A listener must not reject. */
  onChange(listener: (change: SharedChange) => Promise<unknown>): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Destinations are to be put into the catalog. */
  async prepare(destinations: readonly Destination[]): Promise<void> {
    if (this.#listeners.size > 0) await this.#prepare(destinations)
  }

  async tell(change: SharedChange): Promise<void> {
    if (this.#listeners.size === 0) return
    await Promise.all([...this.#listeners].map((listener) => listener(change)))
  }
}
