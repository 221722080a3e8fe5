import type { AcceptedEvent, Carried } from '@hookline/protocol'
import type { Catalog, CatalogChange, FollowedCatalog } from './catalog.ts'
import type { Deletions, Suppressions } from './deletions.ts'
import type { DeliveryQueue } from './deliveries.ts'
import type { Log } from './log.ts'
import type { Quarantine } from './quarantine.ts'

/** A change that every thread of the process must know. Plain data, which crosses to a thread as it is. */
export type SharedChange =
  | { readonly kind: 'catalog'; readonly change: CatalogChange }
  /** To be read from the database. */
  | { readonly kind: 'suppressions' | 'purges' }

/** A connection of another thread. */
export interface ThreadConnection {
  /** What the thread needs to join. Ports in it are moved to the thread: `transfer` has them. */
  readonly data: unknown
  readonly transfer: readonly object[]
  /** Resolves when the thread has left, or has ended, and everything that it has written is durable. */
  readonly gone: Promise<void>
}

/** The other threads of this process that use the backend. They join it with what these methods return. */
export interface BackendThreads {
  /** Connects a thread of lanes, which becomes a `JoinedBackend`. */
  connect(): Promise<ThreadConnection>
  /**
   * Connects a thread of ingestion, which becomes a `JoinedLog`. `number` is from 1 to the number of them that the backend
   * was opened for. The thread that had the number before has ended.
   */
  connectToLog(number: number): ThreadConnection
  /** Calls `listener` with the events that other threads have appended. Returns the function that stops it. */
  onAppended(listener: (events: readonly AcceptedEvent[]) => void): () => void
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
  /** The main thread has made a change. Resolves when this thread has applied it. */
  apply(change: SharedChange): Promise<void>
}

/** What ingestion uses in another thread. Disposing of it leaves the backend. */
export interface JoinedLog extends AsyncDisposable {
  readonly log: Pick<Log, 'append'>
  readonly catalog: Pick<Catalog, 'current'>
  readonly suppressions: Pick<Suppressions, 'has' | 'countLeftOut'>
  /**
   * The main thread has made a change. Resolves when no event can be appended any more that was let through before it: the
   * purge that follows a suppression finds all of them.
   */
  apply(change: SharedChange): Promise<void>
}
