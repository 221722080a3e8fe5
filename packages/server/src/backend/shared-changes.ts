import type { Destination } from '@hookline/protocol'
import type { CatalogChange } from './catalog.ts'
import type { Subject, Suppression } from './deletions.ts'

/** A purge that has begun, and the position in the log of the last event that it may remove. */
export interface BegunPurge {
  readonly deletionId: string
  readonly userIds: readonly string[]
  readonly anonymousIds?: readonly string[]
  /** `null`: in every source. */
  readonly sourceIds: readonly string[] | null
  readonly through: number
}

/** A change that every thread of the process must know. Plain data, which crosses to a thread as it is. */
export type SharedChange =
  | { readonly kind: 'catalog'; readonly change: CatalogChange }
  | { readonly kind: 'purged'; readonly purge: BegunPurge }
  | { readonly kind: 'suppressed'; readonly suppressions: readonly Suppression[] }
  | { readonly kind: 'unsuppressed'; readonly user: Subject }

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
