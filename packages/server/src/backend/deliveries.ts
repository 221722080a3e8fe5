import type {
  AcceptedEvent,
  Attempt,
  Delivery,
  DeliveryClass,
  DeliveryContent,
  DeliveryState,
  LaneState,
} from '@hookline/protocol'
import type { Page, PageRequest } from './page.ts'
import type { UnreadableRecord } from './quarantine.ts'

export interface LaneId {
  readonly destinationId: string
  readonly url: string
}

export function laneKey({ destinationId, url }: LaneId): string {
  return `${destinationId} ${url}`
}

export interface RecordedDelivery {
  readonly delivery: Delivery
  readonly attempts: readonly Attempt[]
  /** The URLs of the pending parts in lanes of this process. These parts become or stay claimed. */
  readonly claimed?: readonly string[]
}

export interface ClaimedDelivery<E extends DeliveryContent = AcceptedEvent> {
  readonly delivery: Delivery
  readonly event: E
}

export interface Claim<E extends DeliveryContent = AcceptedEvent> {
  readonly deliveries: readonly ClaimedDelivery<E>[]
  /** Corrupt deliveries. They are claimed too, so that the claimer can quarantine or release them. */
  readonly unreadable: readonly UnreadableRecord[]
}

export interface ClaimRequest {
  /** A time: parts due by then, earliest first. `{ after }`: parts due later, earliest first. `'held'`: held parts. */
  readonly due: number | 'held' | { readonly after: number }
  readonly limit: number
}

export interface WaitingLane extends LaneId {
  /** When the next pending, unclaimed part is due; `null` if none is. */
  readonly dueAt: number | null
  readonly isHeld: boolean
}

export interface WaitingLanes {
  readonly lanes: readonly WaitingLane[]
  readonly isUnsplit: boolean
}

export interface DeliveryFilter {
  readonly eventId?: string
  readonly destinationId?: string
  readonly state?: DeliveryState
  /**
   * Whether one of its parts is unfinished; with the policy `any`, even if another webhook accepted
   * the event.
   */
  readonly waiting?: boolean
  /** The class of the last attempt to one of its webhooks, or the reason why the delivery ended without one. */
  readonly class?: DeliveryClass
  /** The HTTP status of the last attempt to one of its webhooks; with `class`, of the same attempt. */
  readonly status?: number
  readonly from?: number
  readonly to?: number
}

export interface DeliveryHistory extends Delivery {
  readonly attempts: readonly Attempt[]
  readonly quarantine?: { readonly reason: string; readonly at: number }
}

/** Deliveries and their states, and the parts that wait for an attempt, by lane. */
export interface DeliveryQueue<E extends DeliveryContent = AcceptedEvent> {
  /**
   * Stores deliveries and their attempts. Parts in `claimed` are claimed afterwards; all other
   * claims of the delivery end. Ignores a record if the event was purged, or if the stored delivery
   * is in another final state or has another `firstDueAt`, because it was replayed or retried in
   * the meantime.
   */
  record(records: readonly RecordedDelivery[]): Promise<void>

  /**
   * Claims parts until `record`, `release`, `Quarantine.add` or the end of this process. A part has
   * at most one claim at a time.
   */
  claim(lane: LaneId, request: ClaimRequest): Promise<Claim<E>>

  /**
   * Like `claim`, for deliveries that have no unfinished parts yet: new notices, and deliveries
   * after a replay or a manual retry.
   */
  claimUnsplit(limit: number): Promise<Claim<E>>

  /** Ends the claims of these deliveries, in all lanes or one. Ignores unknown ids. */
  release(ids: readonly string[], lane?: LaneId): Promise<void>

  waiting(): Promise<WaitingLanes>
}

export interface Deliveries extends DeliveryQueue {
  find(id: string): Promise<DeliveryHistory | undefined>

  /** Deliveries, newest first. A page may be short and still have a next one, as in `Events.list`. */
  list(filter: DeliveryFilter, page: PageRequest): Promise<Page<DeliveryHistory>>
}

/** Only this many of a destination's newest failures are counted. */
export const MAX_COUNTED_FAILURES = 2_000

/**
 * Undelivered deliveries whose last attempts have the same class and status, or that ended without
 * an attempt.
 */
export interface FailureGroup {
  readonly destinationId: string
  readonly class: DeliveryClass
  readonly status: number | null
  readonly count: number
  /** False if the destination has more than `MAX_COUNTED_FAILURES`. */
  readonly isComplete: boolean
  readonly firstSeenAt: number
  /** The time of the last attempt or quarantine; without attempts, when the last delivery became due. */
  readonly lastSeenAt: number
  readonly sampleDeliveryId: string
  readonly lastError: string | null
}

interface Failures {
  readonly groups: readonly FailureGroup[]
  /** False if a destination has more than `MAX_COUNTED_FAILURES`. */
  readonly isComplete: boolean
}

export interface WaitingParts {
  readonly pending: number
  readonly held: number
  /**
   * When the oldest pending event was received. Searches only the 20,000 pending parts with the
   * earliest due times.
   */
  readonly oldestAt: number | undefined
  /**
   * The earliest start of a retry window: later than `oldestAt` after a pause, a replay or a manual
   * retry. Considers only the 1,000 oldest events among the parts searched for `oldestAt`, so a
   * replay of more than 1,000 old events can hide the window of a newer event.
   */
  readonly firstDueAt: number | undefined
  readonly dueAt: number | undefined
}

/** Summaries of deliveries. Each call does a bounded amount of work. */
export interface DeliveryReports {
  /**
   * Groups of failures at one destination, or at all destinations that `isIncluded` accepts,
   * largest first.
   */
  failures(filter: {
    readonly destinationId?: string
    readonly isIncluded?: (destinationId: string) => boolean
  }): Promise<Failures>
  /** The backlog of a lane, including claimed parts. */
  waitingIn(lane: LaneId): Promise<WaitingParts>
}

/**
 * The webhook lanes of all threads, for the management API. Each call takes many webhooks, to save
 * messages.
 */
export interface WebhookLanes {
  /** The states of the webhooks of each destination, in order. Unknown destinations are omitted. */
  states(destinationIds: readonly string[]): Promise<ReadonlyMap<string, readonly LaneState[]>>
  /** When attempts in flight began, by delivery or notice id, then by webhook URL. */
  attemptsOf(
    deliveries: readonly Pick<Delivery, 'id' | 'destinationId'>[],
  ): Promise<ReadonlyMap<string, ReadonlyMap<string, number>>>
  command(command: LaneCommand): Promise<void>
}

/**
 * A manual command for webhooks:
 *
 * - `allowNow`: each may be tried now, regardless of its breaker and Retry-After;
 * - `retryNow`: also makes all its waiting parts due;
 * - `closeBreakers`: like `retryNow`, and also closes the breakers. The backlog is sent one part at a time at first.
 */
export interface LaneCommand {
  readonly command: 'allowNow' | 'retryNow' | 'closeBreakers'
  readonly webhooks: readonly LaneId[]
}
