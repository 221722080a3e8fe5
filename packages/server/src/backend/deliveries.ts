import type {
  AcceptedEvent,
  Attempt,
  Carried,
  Delivery,
  DeliveryClass,
  DeliveryState,
  LaneState,
} from '@hookline/protocol'
import type { Page, PageRequest } from './page.ts'
import type { Unreadable } from './quarantine.ts'

/** The lane of one webhook: its destination and its URL. */
export interface LaneId {
  readonly destinationId: string
  readonly url: string
}

/** A text that is the same for the same lane. */
export function laneKey({ destinationId, url }: LaneId): string {
  return `${destinationId} ${url}`
}

/** A delivery as it is now, and the attempts since its last record. */
export interface RecordedDelivery {
  readonly delivery: Delivery
  readonly attempts: readonly Attempt[]
  /** The URLs of the pending parts that are in lanes of this process: they become, or stay, claimed. */
  readonly claimed?: readonly string[]
}

/** A delivery with a part that was claimed, and what it carries. */
export interface ClaimedDelivery<E extends Carried = AcceptedEvent> {
  readonly delivery: Delivery
  readonly event: E
}

/** The result of `claim`. */
export interface Claim<E extends Carried = AcceptedEvent> {
  readonly deliveries: readonly ClaimedDelivery<E>[]
  /** Due as well, but damaged. They are claimed like the others: the claimer quarantines or releases them. */
  readonly unreadable: readonly Unreadable[]
}

/** Which parts of a lane are claimed: at most `limit`. */
export interface ClaimRequest {
  /**
   * Those that are due at this time, the longest due first; `'held'`: those that are held; `after`: those that are due
   * later than this time, the soonest first.
   */
  readonly due: number | 'held' | { readonly after: number }
  readonly limit: number
}

/** The parts of one lane that wait in the backend. */
export interface WaitingLane extends LaneId {
  /** When the next pending, unclaimed part is due; `null` when there is none. */
  readonly dueAt: number | null
  /** Whether parts are held. */
  readonly isHeld: boolean
}

/** What waits in the backend and is not claimed. */
export interface Waiting {
  readonly lanes: readonly WaitingLane[]
  /** Whether deliveries wait that have no parts: `claimUnsplit` claims them. */
  readonly isUnsplit: boolean
}

/** Which deliveries a list shows: those that meet every condition. */
export interface DeliveryFilter {
  readonly eventId?: string
  readonly destinationId?: string
  readonly state?: DeliveryState
  /** Whether one of its webhooks waits: with the policy `any`, also when another one has the event. */
  readonly waiting?: boolean
  /** The last attempt on one of its webhooks has this class, or the delivery ended for this reason without one. */
  readonly class?: DeliveryClass
  /** The last attempt on one of its webhooks got this HTTP status; with `class`, the same attempt. */
  readonly status?: number
  /** Its event was received at this time or later, in milliseconds since the epoch. */
  readonly from?: number
  /** Its event was received before this time. */
  readonly to?: number
}

/** A delivery with every attempt that is kept, oldest first. */
export interface DeliveryHistory extends Delivery {
  readonly attempts: readonly Attempt[]
  /** Why it is quarantined, and since when; absent where it is not. */
  readonly quarantine?: { readonly reason: string; readonly at: number }
}

/** Where lanes keep their deliveries: the state of each, and the parts that wait for an attempt. */
export interface DeliveryQueue<E extends Carried = AcceptedEvent> {
  /**
   * Keeps the deliveries and their attempts. Each part in `claimed` is claimed afterwards, and all other claims of the
   * delivery end. Durable when it resolves, all or none. Safe to call twice. A record changes nothing where the kept
   * delivery has another `firstDueAt`, because a replay or a retry by hand came between, or is in another final state.
   * It writes nothing where the event was purged.
   */
  record(records: readonly RecordedDelivery[]): Promise<void>

  /**
   * Claims parts of a lane. A part has one claim at a time. A claim ends with `record`, `release` or `Quarantine.add`, or
   * with the process that claimed. It is not durable: after a restart the part is handed out again.
   */
  claim(lane: LaneId, request: ClaimRequest): Promise<Claim<E>>

  /** As `claim`, for deliveries that have no parts yet: after a replay, or a retry by hand. */
  claimUnsplit(limit: number): Promise<Claim<E>>

  /**
   * Ends all claims of these deliveries, and leaves the deliveries as they are. Ignores unknown ids, so it is safe to
   * call twice. With `lane`, ends only the claims of the parts in that lane.
   */
  release(ids: readonly string[], lane?: LaneId): Promise<void>

  /** What waits, lane by lane. */
  waiting(): Promise<Waiting>
}

/** The deliveries of events, and their history. */
export interface Deliveries extends DeliveryQueue {
  find(id: string): Promise<DeliveryHistory | undefined>

  /** Deliveries, newest first. A page may be short and still have a next one: see `Events.list`. */
  list(filter: DeliveryFilter, page: PageRequest): Promise<Page<DeliveryHistory>>
}

/**
 * Deliveries with the same failure, none of them delivered: the last attempts on their webhooks had this class
 * and status, or they ended without an attempt on a webhook.
 */
export interface FailureGroup {
  readonly destinationId: string
  readonly class: DeliveryClass
  /** The HTTP status; `null` where there was no response. */
  readonly status: number | null
  readonly count: number
  /** When the event of the oldest of them was received, in milliseconds since the epoch. */
  readonly firstSeenAt: number
  /**
   * When the last attempt was made, or the last of them came into quarantine. Of those that were not attempted: when the
   * last of them became due.
   */
  readonly lastSeenAt: number
  /** The newest of them whose response is kept; the newest one where none is. */
  readonly sampleDeliveryId: string
  /** What went wrong in its last attempt, or why it is quarantined, as text; `null` where none was kept. */
  readonly lastError: string | null
}

interface Failures {
  readonly groups: readonly FailureGroup[]
  /** False where a destination has so many failures that only its newest were counted. */
  readonly isComplete: boolean
}

/** The parts that wait in one lane. */
export interface WaitingParts {
  readonly pending: number
  readonly held: number
  /**
   * When the oldest event was received that has a pending part, in milliseconds since the epoch; `undefined` where there
   * is none. Looks only at a bounded number of parts, those that have been due the longest.
   */
  readonly oldestAt: number | undefined
  /** When the first pending part is due; `undefined` where there is none. */
  readonly dueAt: number | undefined
}

/** Summaries of many deliveries. Each call does a bounded amount of work, however many deliveries there are. */
export interface DeliveryReports {
  /** Failures in groups, the largest group first: of one destination, or of all. */
  failures(filter: { readonly destinationId?: string }): Promise<Failures>
  /** What waits in a lane, including what is claimed. */
  waitingIn(lane: LaneId): Promise<WaitingParts>
}

/** The lanes of webhooks, as the management API uses them. They may be in other threads: each call is for many webhooks. */
export interface WebhookLanes {
  /** The state of each webhook of these destinations, in their order, by destination. Unknown destinations are left out. */
  states(destinationIds: readonly string[]): Promise<ReadonlyMap<string, readonly LaneState[]>>
  /** When the attempts in flight began, of deliveries or notices: by their id, then by the URL of the webhook. */
  attemptsOf(
    deliveries: readonly Pick<Delivery, 'id' | 'destinationId'>[],
  ): Promise<ReadonlyMap<string, ReadonlyMap<string, number>>>
  order(order: LaneOrder): Promise<void>
}

/**
 * A manual order for webhooks:
 *
 * - `allowNow`: each may be tried now, regardless of its breaker and Retry-After;
 * - `retryNow`: also makes everything due that waits for an attempt on it;
 * - `closeBreakers`: as `retryNow`, and closes the breakers. The backlog is sent one delivery at a time at first.
 */
export interface LaneOrder {
  readonly order: 'allowNow' | 'retryNow' | 'closeBreakers'
  readonly webhooks: readonly LaneId[]
}
