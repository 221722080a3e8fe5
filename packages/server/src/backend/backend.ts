import type { Carried } from '@hookline/protocol'
import type { Audit } from './audit.ts'
import type { Catalog, FollowedCatalog, KeyUses } from './catalog.ts'
import type { Deletions, Suppressions } from './deletions.ts'
import type { Deliveries, DeliveryQueue, DeliveryReports } from './deliveries.ts'
import type { Evaluations } from './evaluations.ts'
import type { Events } from './events.ts'
import type { Facts } from './facts.ts'
import type { IdempotentResponses } from './idempotent-responses.ts'
import type { FollowedLog, Log } from './log.ts'
import type { Memberships } from './memberships.ts'
import type { NoticeQueue, Notices } from './notices.ts'
import type { Profiles } from './profiles.ts'
import type { Quarantine } from './quarantine.ts'
import type { Replays } from './replays.ts'
import type { SharedChange } from './shared-changes.ts'
import type { Statistics } from './statistics.ts'
import type { Syncs } from './syncs.ts'
import type { Tokens } from './tokens.ts'
import type { Upkeep } from './upkeep.ts'

/**
 * All state of the service, behind one port for each subject. An engine implements every port in a folder of its own,
 * `embedded` on SQLite; `service.ts` picks the engine, and no other component knows it.
 *
 * Any method may reject with `BackendUnavailable`. Times are milliseconds since the epoch.
 */
export interface Backend extends AsyncDisposable {
  /** From ingest to the pipeline. */
  readonly log: Log
  readonly events: Events
  /** From the pipeline to the receivers. */
  readonly deliveries: Deliveries
  readonly reports: DeliveryReports
  readonly quarantine: Quarantine
  readonly replays: Replays
  /** Configuration and access. */
  readonly catalog: Catalog
  readonly keyUses: KeyUses
  readonly tokens: Tokens
  readonly audit: Audit
  readonly idempotentResponses: IdempotentResponses
  /** Deleted users, and what tells the receivers of them. */
  readonly deletions: Deletions
  readonly suppressions: Suppressions
  readonly notices: Notices
  readonly noticeQueue: NoticeQueue
  /** Users, and what is computed of them. */
  readonly followedLog: FollowedLog
  readonly profiles: Profiles
  readonly facts: Facts
  readonly evaluations: Evaluations
  readonly memberships: Memberships
  readonly syncs: Syncs
  readonly threads: BackendThreads
  /** Everything as a whole. */
  readonly statistics: Statistics
  readonly upkeep: Upkeep
  /**
   * Copies all state, as it is at one moment, to a file that does not exist yet, while the service goes on. The file
   * appears complete, or not at all.
   */
  copyTo(file: string): Promise<void>
  /**
   * Resolves when stored data is found to be damaged. Then close the backend, and end the process: the next start sets
   * aside what cannot be read.
   */
  readonly damaged: Promise<Error>
  /** Resolves when the engine responds and new data can be stored durably; rejects with the reason when it cannot. */
  probe(): Promise<void>
}

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

/**
 * The engine cannot do its work now: the disk is full, the connection is lost, or too many calls wait.
 * The failed call had no effect. The same call may succeed later.
 */
export class BackendUnavailable extends Error {
  override readonly name = 'BackendUnavailable'
}
