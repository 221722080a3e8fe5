import type { Audit } from './audit.ts'
import type { Catalog, KeyUses } from './catalog.ts'
import type { Deletions, Suppressions } from './deletions.ts'
import type { Deliveries, DeliveryReports } from './deliveries.ts'
import type { Evaluations } from './evaluations.ts'
import type { Events } from './events.ts'
import type { Facts } from './facts.ts'
import type { IdempotentResponses } from './idempotent-responses.ts'
import type { Leases, Nodes, OwnKeys } from './nodes.ts'
import type { FollowedLog, Log } from './log.ts'
import type { Memberships } from './memberships.ts'
import type { NoticeQueue, Notices } from './notices.ts'
import type { Profiles } from './profiles.ts'
import type { Quarantine } from './quarantine.ts'
import type { Replays } from './replays.ts'
import type { Signals } from './signals.ts'
import type { Statistics } from './statistics.ts'
import type { Syncs } from './syncs.ts'
import type { BackendThreads } from './threads.ts'
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
  /** What one node does at a time. */
  readonly leases: Leases
  /** The processes that serve it, and what they tell each other. */
  readonly nodes: Nodes
  readonly signals: Signals
  readonly ownKeys: OwnKeys
  /** Everything as a whole. */
  readonly statistics: Statistics
  readonly upkeep: Upkeep
  /**
   * Copies all state, as it is at one moment, to a file that does not exist yet, while the service goes on. The file
   * appears complete, or not at all.
   * @throws {NoCopy} where the engine cannot
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

/**
 * The engine cannot do its work now: the disk is full, the connection is lost, or too many calls wait.
 * The failed call had no effect. The same call may succeed later.
 */
export class BackendUnavailable extends Error {
  override readonly name = 'BackendUnavailable'
  /** Private, because a log line has every public field of an error. */
  readonly #publicReason: string | undefined

  constructor(message: string, options: UnavailableOptions = {}) {
    super(message, options)
    this.#publicReason = options.publicReason
  }

  get publicReason(): string | undefined {
    return this.#publicReason
  }
}

/** A text of the call has a character that the database cannot store. The call had no effect. */
export class UnstorableText extends Error {
  override readonly name = 'UnstorableText'
}

interface UnavailableOptions extends ErrorOptions {
  /** The reason for every client to read: it has no path, address or name of the operator's machines. */
  readonly publicReason?: string
}

/** The engine keeps its state where other programs back it up. The message says which. */
export class NoCopy extends Error {
  override readonly name = 'NoCopy'
}
