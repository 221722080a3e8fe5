import type {
  AcceptedEvent,
  Delivery,
  Destination,
  LaneState,
  NextRequest,
  TestDelivery,
} from '@hookline/protocol'
import type { Logger } from '../../telemetry/logger.ts'
import type { LiveTopics } from '../../activity/live-topics.ts'
import type { Computations } from '../../audiences/computations.ts'
import type { Audit } from '../../backend/audit.ts'
import type { Catalog, KeyUses } from '../../backend/catalog.ts'
import type { Deletions, Suppressions } from '../../backend/deletions.ts'
import type { Deliveries, DeliveryReports, LaneId } from '../../backend/deliveries.ts'
import type { Events } from '../../backend/events.ts'
import type { IdempotentResponses } from '../../backend/idempotent-responses.ts'
import type { Memberships } from '../../backend/memberships.ts'
import type { Nodes } from '../../backend/nodes.ts'
import type { Notices } from '../../backend/notices.ts'
import type { Profiles } from '../../backend/profiles.ts'
import type { Replays } from '../../backend/replays.ts'
import type { Statistics } from '../../backend/statistics.ts'
import type { Syncs } from '../../backend/syncs.ts'
import type { Tokens } from '../../backend/tokens.ts'
import type { Upkeep } from '../../backend/upkeep.ts'
import type { SharedInspector } from '../../inspector/shared-inspector.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import type { Clock } from '../../util/time/clock.ts'
import type { ClockWatch } from '../../util/workers/clock-watch.ts'
import type { Redacted } from '../../util/secrets/redacted.ts'
import type { Backups } from '../backups.ts'
import type { SystemDeps } from './system-deps.ts'

/** A copy of the database in a file. Disposing it removes the file. */
export interface DatabaseCopy extends AsyncDisposable {
  readonly file: string
}

/**
 * The lanes of the webhooks. They may be in other threads, so a request asks once for all that it shows, and not once for
 * each webhook.
 */
export interface AskedLanes {
  /** How each webhook of these destinations stands, in their order, by destination. Unknown destinations are left out. */
  states(destinationIds: readonly string[]): Promise<ReadonlyMap<string, readonly LaneState[]>>
  /** When the attempts began that are being made of deliveries or notices: by their id, then by the URL of the webhook. */
  attemptsOf(
    deliveries: readonly Pick<Delivery, 'id' | 'destinationId'>[],
  ): Promise<ReadonlyMap<string, ReadonlyMap<string, number>>>
  /** Lets each webhook be tried now, whatever its breaker and Retry-After say. */
  allowNow(webhooks: readonly LaneId[]): Promise<void>
  /** As `allowNow`, and makes everything due that waits for an attempt on it. */
  retryNow(webhooks: readonly LaneId[]): Promise<void>
  /** A person closes the breakers of webhooks: what waits is delivered, slowly at first. */
  closeBreakers(webhooks: readonly LaneId[]): Promise<void>
}

/** The number of attempts of all nodes in the last hour, and how many of them were delivered. */
interface RecentAttempts {
  of(destinationId: string): Promise<{
    readonly attempts: number
    readonly delivered: number
    readonly lastFailedAt: number | undefined
  }>
}

/** What a test delivery carries: an archived event, or a sample without an id. */
export interface TestContent {
  readonly id: string | null
  readonly body: Uint8Array
}

/** Makes test deliveries. */
export interface TestDeliveries {
  /** Sends the content to all webhooks of the destination. With `dryRun`, builds the requests only. */
  run(
    destination: Destination,
    content: TestContent,
    options: { readonly dryRun: boolean },
  ): Promise<TestDelivery>
}

/** Signs receipts of deletions, so that they can be verified without this service. */
interface Receipts {
  sign(document: object): Promise<object>
}

/** Why webhooks of a host get nothing at the moment. `why` completes "is …". */
type HostProblem =
  | { readonly kind: 'forbidden'; readonly address: string; readonly why: string }
  | { readonly kind: 'unresolved' }

/** A port whose methods `Changes` require an audit entry: so no route makes a change without one. */
type Audited<Port, Changes extends keyof Port> = Omit<Port, Changes> & {
  readonly [Name in Changes]: Port[Name] extends (...given: infer Given) => infer Result
    ? (...given: Required<Given>) => Result
    : never
}

/** What the management API works with. */
export interface AdminDeps {
  readonly catalog: Audited<
    Catalog,
    | 'putSource'
    | 'removeSource'
    | 'putDestination'
    | 'removeDestination'
    | 'putComputation'
    | 'removeComputation'
    | 'putAll'
  >
  readonly events: Events
  readonly deliveries: Deliveries
  readonly replays: Audited<Replays, 'create' | 'cancel' | 'retry'>
  readonly deletions: Audited<Deletions, 'create'>
  readonly notices: Notices
  readonly suppressions: Audited<Suppressions, 'remove'>
  readonly tokens: Audited<Tokens, 'add' | 'remove'>
  readonly keyUses: KeyUses
  readonly audit: Audit
  readonly idempotentResponses: IdempotentResponses
  readonly reports: DeliveryReports
  /** Up to now, not only what is written. */
  readonly statistics: Pick<Statistics, 'read'>
  readonly upkeep: Upkeep
  readonly live: LiveTopics
  readonly nodes: Nodes
  readonly inspector: SharedInspector
  /** Copies the database as it is at one moment. */
  readonly copyDatabase: () => Promise<DatabaseCopy>
  readonly backups: Backups
  readonly system: SystemDeps
  /** How long a download of a backup may take. */
  readonly backupTimeoutMs: number
  readonly profiles: Pick<Profiles, 'state' | 'find'>
  readonly memberships: Audited<Memberships, 'changeList'>
  readonly syncs: Pick<Syncs, 'list'>
  readonly computations: Pick<Computations, 'statusesOf' | 'requestSync' | 'preview' | 'explain'>
  readonly lanes: AskedLanes
  readonly recentAttempts: RecentAttempts
  readonly testDeliveries: TestDeliveries
  /** The requests that a delivery would make now, one to each webhook of its destination. */
  readonly nextRequests: (
    delivery: Delivery,
    event: Pick<AcceptedEvent, 'body'>,
    destination: Destination,
    now: number,
  ) => readonly NextRequest[]
  readonly receipts: Receipts
  /** Wakes the workers, after deliveries became due, a replay or deletion was created, or an audience changed. */
  readonly wake: () => void
  readonly clock: Clock
  /** How long events are kept. */
  readonly retentionMs: number
  readonly clockWatch: Pick<ClockWatch, 'removalTime'>
  /** How long a session of the console lasts. */
  readonly sessionLifetimeMs: number
  /** Browsers on this machine need no login, and may do everything. */
  readonly isOpenHere: boolean
  /** Requests per second and token; `null` for no limit. */
  readonly rateLimit: number | null
  /** Requests with a wrong token per minute and client that get a 401, not a 429; `null` for no limit. */
  readonly wrongTokensPerMinute: number | null
  readonly metrics: Metrics
  /** The most connections of the live tail. */
  readonly maxLiveStreams: number
  /** Reserved ports that webhook URLs may use all the same. */
  readonly allowedPorts: ReadonlySet<number>
  /** Why webhooks may not reach an IP address, in words that complete "is …"; `undefined` for any other text. */
  readonly addressRefusal: (host: string) => string | undefined
  /** Why webhooks of a host get nothing at the moment; names are looked up. Resolves soon, and never rejects. */
  readonly hostProblem: (host: string) => Promise<HostProblem | undefined>
  /** The token of the operator. It has the role admin. */
  readonly adminToken: Redacted
  readonly logger: Logger
}
