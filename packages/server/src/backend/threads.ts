import type { AcceptedEvent, DeliveryContent } from '@hookline/protocol'
import type { Catalog, CatalogChange, FollowedCatalog } from './catalog.ts'
import type { Deletions, Suppressions } from './deletions.ts'
import type { DeliveryQueue } from './deliveries.ts'
import type { Log } from './log.ts'
import type { Quarantine } from './quarantine.ts'

/** A change that every thread of the process must apply. Plain data, which can be posted. */
export type SharedChange =
  | { readonly kind: 'catalog'; readonly change: CatalogChange }
  | { readonly kind: 'suppressions' | 'purges' }

export interface ThreadConnection {
  readonly data: unknown
  readonly transfer: readonly object[]
  /** Resolves when the thread has disconnected or exited, and its writes are durable. */
  readonly gone: Promise<void>
}

export interface BackendThreads {
  /** Connects a delivery thread, in which the connection becomes a `JoinedBackend`. */
  connect(): Promise<ThreadConnection>
  /**
   * Connects ingestion thread `number`, counted from 1, in which the connection becomes a
   * `JoinedLog`. The previous thread with this number must have exited.
   */
  connectToLog(number: number): ThreadConnection
  /**
   * Calls `listener` with the events that other threads append. Returns a function that removes the
   * listener.
   */
  onAppended(listener: (events: readonly AcceptedEvent[]) => void): () => void
  /**
   * Calls `listener` with each change to apply, and waits for its promise, which must not reject.
   */
  onChange(listener: (change: SharedChange) => Promise<unknown>): () => void
  reportCorruption(error: Error): void
}

/** The backend in a delivery thread. Disposing of it disconnects. */
export interface JoinedBackend extends AsyncDisposable {
  readonly catalog: FollowedCatalog
  readonly deliveries: DeliveryQueue
  readonly quarantine: Quarantine
  readonly noticeQueue: DeliveryQueue<DeliveryContent> & Quarantine
  readonly deletions: Pick<Deletions, 'isPurged'>
  /** Applies a change made by the main thread. */
  apply(change: SharedChange): Promise<void>
}

/** The backend in an ingestion thread. Disposing of it disconnects. */
export interface JoinedLog extends AsyncDisposable {
  readonly log: Pick<Log, 'append'>
  readonly catalog: Pick<Catalog, 'current'>
  readonly suppressions: Pick<Suppressions, 'has' | 'countSuppressed'>
  /** Resolves when events accepted before the change are appended, so that a purge after a suppression finds them. */
  apply(change: SharedChange): Promise<void>
}
