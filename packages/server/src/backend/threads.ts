import type { Carried } from '@hookline/protocol'
import type { CatalogChange, FollowedCatalog } from './catalog.ts'
import type { Deletions, Subject, Suppression } from './deletions.ts'
import type { DeliveryQueue } from './deliveries.ts'
import type { Quarantine } from './quarantine.ts'

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

/** A connection of another thread. */
export interface ThreadConnection {
  /** What the thread needs to join. Ports in it are moved to the thread: `transfer` has them. */
  readonly data: unknown
  readonly transfer: readonly object[]
  /** Resolves when the thread has left, or has ended, and everything that it has written is durable. */
  readonly gone: Promise<void>
}

/** The other threads of this process that use the backend. They join it (`JoinedBackend`) with what `connect` returns. */
export interface BackendThreads {
  connect(): Promise<ThreadConnection>
  /**
   * Calls `listener` with each change that joined threads must apply, from `connect` on. The call that made the change
   * resolves after the listener's promise, which must not reject. Returns the function that stops it.
   */
  onChange(listener: (change: SharedChange) => Promise<unknown>): () => void
  /** A joined thread has found damage. */
  seeDamage(error: Error): void
}

/** What lanes of deliveries use in another thread. Disposing of it leaves the backend. */
export interface JoinedBackend extends AsyncDisposable {
  readonly catalog: FollowedCatalog
  readonly deliveries: DeliveryQueue
  readonly quarantine: Quarantine
  readonly noticeQueue: DeliveryQueue<Carried> & Quarantine
  readonly deletions: Pick<Deletions, 'isPurged'>
  /** The main thread has made a change. */
  apply(change: SharedChange): void
}
