import type {
  AcceptedEvent,
  Compute,
  Computation,
  Condition,
  DeletionNotice,
  Destination,
  Event,
  Json,
  TestDelivery,
  WebhookState,
} from '@hookline/protocol'
import type { Logger } from 'pino'
import type { LiveTail } from '../../activity/live-tail.ts'
import type { Explanation } from '../../audiences/conditions/explain.ts'
import type { Audit } from '../../backend/audit.ts'
import type { Catalog, KeyUses } from '../../backend/catalog.ts'
import type { Deletions, Suppressions } from '../../backend/deletions.ts'
import type { Deliveries, DeliveryReports } from '../../backend/deliveries.ts'
import type { Events } from '../../backend/events.ts'
import type { IdempotentResponses } from '../../backend/idempotent-responses.ts'
import type { Memberships } from '../../backend/memberships.ts'
import type { Notices } from '../../backend/notices.ts'
import type { Profiles } from '../../backend/profiles.ts'
import type { Replays } from '../../backend/replays.ts'
import type { Statistics } from '../../backend/statistics.ts'
import type { Sync, Syncs } from '../../backend/syncs.ts'
import type { Tokens } from '../../backend/tokens.ts'
import type { Upkeep } from '../../backend/upkeep.ts'
import type { Clock } from '../../util/clock.ts'
import type { Redacted } from '../../util/redacted.ts'

/** A copy of the database in a file. Disposing it removes the file. */
export interface DatabaseCopy extends AsyncDisposable {
  readonly file: string
}

/** What this node knows about the health of its destinations. */
export interface DestinationHealth {
  /** The circuit breaker of each webhook. */
  webhooks(destination: Destination): readonly WebhookState[]
  /** Lets each webhook be tried now, whatever its breaker and Retry-After say. */
  allowNow(destination: Destination): void
  /** As `allowNow`, and makes everything due that waits for an attempt on it. */
  retryNow(destination: Destination): void
  /** A person closes the breaker of a webhook: what waits is delivered, slowly at first. */
  closeBreaker(destinationId: string, url: string): void
  /** The number of attempts in the last hour, and how many of them were delivered. */
  lastHour(destinationId: string): { readonly attempts: number; readonly delivered: number }
  /** When the attempts began that are being made of a delivery or a notice, by the URL of the webhook. */
  attemptsOf(deliveryId: string): ReadonlyMap<string, number>
}

/** What a test delivery carries: an archived event, or a sample without an id. */
export type TestContent =
  AcceptedEvent | { readonly id: null; readonly event: Event | DeletionNotice }

/** Makes test deliveries. */
export interface TestDeliveries {
  /** Sends the content to all webhooks of the destination. With `dryRun`, builds the requests only. */
  run(
    destination: Destination,
    content: TestContent,
    options: { readonly dryRun: boolean },
  ): Promise<TestDelivery>
}

/** What an audience or a computed trait is doing. */
export const COMPUTATION_STATES = ['preparing', 'live', 'paused', 'disabled', 'failed'] as const

/** What a sync does: counts stored events, evaluates profiles, tells users their value. */
export const PROGRESS_STEPS = ['filling', 'evaluating', 'announcing'] as const

/** What the workers know about an audience or a computed trait. */
export interface ComputationStatus {
  readonly state: (typeof COMPUTATION_STATES)[number]
  /** Why it is in this state, in one sentence; `null` where the state says enough. */
  readonly reason: string | null
  /** Profiles that have a value: of an audience, its members. */
  readonly size: number
  /** How far the sync that runs is: `done` of `total`, in events, profiles or users; `null` if none runs. */
  readonly progress: {
    readonly step: (typeof PROGRESS_STEPS)[number]
    readonly done: number
    readonly total: number
  } | null
  /** The sync that waits or runs; `null` if there is none. */
  readonly sync: Sync | null
  /** The last sync that ended. */
  readonly lastSync: Sync | null
  /** Since when the events are known that it counts, in milliseconds since the epoch; `null`: all events. */
  readonly reachesBackTo: number | null
}

/** A condition or a computed trait that is tried before it is stored. */
export type PreviewRequest = { readonly space: string } & (
  { readonly condition: Condition } | { readonly compute: Compute }
)

/** The users that would have a value, and a sample of them. */
export interface PreviewResult {
  readonly size: number
  /** False where the size is estimated. */
  readonly isExact: boolean
  /** At most ten users. `value` is `true` for a member of an audience. */
  readonly sample: readonly { readonly userId: string | null; readonly value: Json }[]
  /** Since when the events are known that it counts, in milliseconds since the epoch; `null`: all events. */
  readonly reachesBackTo: number | null
}

/** Why a user has a value, or none. */
export interface ExplainedValue {
  /** The value now; `undefined`: none, as of a user who is no member. */
  readonly value: Json | undefined
  /** Since when it is stored; `null` if it is not stored, or not yet. */
  readonly since: number | null
  /** When the value can next change by time alone, in milliseconds since the epoch; `null`: never. */
  readonly changesAt: number | null
  /** For an audience: its condition with the verdict of each part. */
  readonly condition?: Explanation
  /** For a computed trait: of how many events of the user it is made. */
  readonly events?: number
}

/** The workers that compute audiences and traits. */
export interface Computations {
  /** The status of each of them, in the same order. */
  statusesOf(computations: readonly Computation[]): Promise<readonly ComputationStatus[]>
  /**
   * Requests a sync of a computation, or returns the one that waits already. With the reason `deleted`, every user is told
   * that the value is gone, and then the computation is removed. Durable when it resolves. After a change of the catalog
   * nobody requests one: the workers see which syncs it makes necessary.
   */
  requestSync(computationId: string, reason: 'requested' | 'deleted'): Promise<Sync>
  preview(request: PreviewRequest): Promise<PreviewResult>
  /** Why a user has the value that it has; `undefined` for a user without a profile. */
  explain(computation: Computation, userId: string): Promise<ExplainedValue | undefined>
}

/** Signs receipts of deletions, so that they can be verified without this service. */
interface Receipts {
  sign(document: object): object
}

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
  readonly statistics: Statistics
  readonly upkeep: Upkeep
  readonly live: LiveTail
  /** Copies the database as it is at one moment. */
  readonly copyDatabase: () => Promise<DatabaseCopy>
  readonly profiles: Pick<Profiles, 'state' | 'find'>
  readonly memberships: Audited<Memberships, 'changeList'>
  readonly syncs: Pick<Syncs, 'list'>
  readonly computations: Computations
  readonly destinationHealth: DestinationHealth
  readonly testDeliveries: TestDeliveries
  readonly receipts: Receipts
  /** Wakes the workers, after deliveries became due, a replay or deletion was created, or an audience changed. */
  readonly wake: () => void
  readonly clock: Clock
  /** Requests per second and token; `null` for no limit. */
  readonly rateLimit: number | null
  /** Reserved ports that webhook URLs may use all the same. */
  readonly allowedPorts: ReadonlySet<number>
  /** Why webhooks may not reach an IP address, in words that complete "is …"; `undefined` for any other text. */
  readonly addressRefusal: (host: string) => string | undefined
  /** The token of the operator. It has the role admin. */
  readonly adminToken: Redacted
  readonly logger: Logger
}
