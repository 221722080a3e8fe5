import type { AlertStates } from './alert-states.ts'
import type { Audit } from './audit.ts'
import type { Catalog, KeyUses } from './catalog.ts'
import type { Deletions, Suppressions } from './deletions.ts'
import type { Deliveries, DeliveryReports } from './deliveries.ts'
import type { Evaluations } from './evaluations.ts'
import type { EventNames } from './event-names.ts'
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
 * All state of the service, one port per subject. The engines `embedded` and `cluster` implement it; only `open-backend.ts` chooses one.
 *
 * Any method may reject with `BackendUnavailableError`. Unless a method says otherwise:
 * - Writes are durable when they resolve, all or nothing, and safe to repeat.
 * - Times are milliseconds since the epoch; `from` is inclusive, `to` exclusive. `null` stands for none, or not yet.
 * - Lists are newest first. A filter selects items that meet all its conditions.
 */
export interface Backend extends AsyncDisposable {
  readonly log: Log
  readonly events: Events
  readonly deliveries: Deliveries
  readonly reports: DeliveryReports
  readonly quarantine: Quarantine
  readonly replays: Replays
  readonly catalog: Catalog
  readonly keyUses: KeyUses
  readonly tokens: Tokens
  readonly audit: Audit
  readonly idempotentResponses: IdempotentResponses
  readonly deletions: Deletions
  readonly suppressions: Suppressions
  readonly notices: Notices
  readonly noticeQueue: NoticeQueue
  readonly followedLog: FollowedLog
  readonly profiles: Profiles
  readonly facts: Facts
  readonly evaluations: Evaluations
  readonly memberships: Memberships
  readonly syncs: Syncs
  readonly threads: BackendThreads
  readonly leases: Leases
  readonly nodes: Nodes
  readonly signals: Signals
  readonly ownKeys: OwnKeys
  readonly eventNames: EventNames
  readonly statistics: Statistics
  readonly alertStates: AlertStates
  readonly upkeep: Upkeep
  /**
   * Copies a snapshot to a new file, which appears either complete or not at all.
   * @throws {CopyNotSupportedError} if the engine does not support copies
   */
  copyTo(file: string): Promise<void>
  /** Resolves when stored data is found to be corrupted. Then close the backend and exit. */
  readonly corrupted: Promise<Error>
  /** Resolves if new data can be stored durably; rejects with the reason if not. */
  probe(): Promise<void>
}

/**
 * The disk is full, the connection is lost, or too many calls are waiting. The call may be retried.
 * It had no effect, except possibly if the connection was lost during the call.
 */
export class BackendUnavailableError extends Error {
  override readonly name = 'BackendUnavailableError'
  /** Private, because log lines include every public field of an error. */
  readonly #publicReason: string | undefined

  constructor(message: string, options: UnavailableOptions = {}) {
    super(message, options)
    this.#publicReason = options.publicReason
  }

  get publicReason(): string | undefined {
    return this.#publicReason
  }
}

/** A string contains a character that the database cannot store. The call had no effect. */
export class UnstorableTextError extends Error {
  override readonly name = 'UnstorableTextError'
}

interface UnavailableOptions extends ErrorOptions {
  /** The reason for clients, without paths, addresses or machine names. */
  readonly publicReason?: string
}

/** The engine's state must be backed up with other programs. The message names them. */
export class CopyNotSupportedError extends Error {
  override readonly name = 'CopyNotSupportedError'
}
