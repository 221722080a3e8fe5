import type {
  AcceptedEvent,
  Attempt,
  AttemptClass,
  Carried,
  Delivery,
  DeliveryState,
} from '@hookline/protocol'
import type { Page, PageRequest } from './page.ts'
import type { Unreadable } from './quarantine.ts'

/** A delivery as it stands after a round, or parked without one, and the attempts of that round. */
export interface RecordedDelivery {
  readonly delivery: Delivery
  readonly attempts: readonly Attempt[]
}

/** A parked delivery that is due, with what it carries. */
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

/** Which deliveries a list shows: those that meet every condition. */
export interface DeliveryFilter {
  readonly eventId?: string
  readonly destinationId?: string
  readonly state?: DeliveryState
  /** The last attempt on one of its webhooks has this class. */
  readonly class?: AttemptClass
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

/** Where lanes keep their deliveries: the state of each, and those that wait for another round. */
export interface DeliveryQueue<E extends Carried = AcceptedEvent> {
  /**
   * Keeps the state of the deliveries and their attempts, and ends their claims. Durable when it resolves,
   * all or none. Safe to call twice. A record changes nothing where the delivery is in a final state, or
   * where the kept delivery has more rounds than the record. It writes nothing where the event was purged.
   */
  record(records: readonly RecordedDelivery[]): Promise<void>

  /**
   * Claims pending deliveries of a destination that are due at `now`, the longest due first. A delivery
   * has one claim at a time. A claim ends with `record`, `release` or `Quarantine.add`, or with the process
   * that claimed. It is not durable: after a restart the delivery is handed out again.
   */
  claim(
    destinationId: string,
    options: { readonly now: number; readonly limit: number },
  ): Promise<Claim<E>>

  /** Ends claims and leaves the deliveries as they are. Ignores unknown ids, so it is safe to call twice. */
  release(ids: readonly string[]): Promise<void>

  /** When the next pending, unclaimed delivery is due, for each destination that has one. */
  nextDue(): Promise<ReadonlyMap<string, number>>

  /**
   * Makes every held delivery of the destination pending, due at `now`, with a new retry window. Resolves to
   * the number of deliveries when all of them are durable; works in slices. Safe to call twice, and to interrupt.
   */
  unhold(destinationId: string, now: number): Promise<number>
}

/** The deliveries of events, and their history. */
export interface Deliveries extends DeliveryQueue {
  find(id: string): Promise<DeliveryHistory | undefined>

  /** Deliveries, newest first. A page may be short and still have a next one: see `Events.list`. */
  list(filter: DeliveryFilter, page: PageRequest): Promise<Page<DeliveryHistory>>
}

/**
 * Deliveries with the same failure, none of them delivered: the last attempts on their webhooks had this class
 * and status.
 */
export interface FailureGroup {
  readonly destinationId: string
  readonly class: AttemptClass
  /** The HTTP status; `null` where there was no response. */
  readonly status: number | null
  readonly count: number
  /** When the oldest of them first became due, in milliseconds since the epoch. */
  readonly firstSeenAt: number
  /** When the last attempt was made. */
  readonly lastSeenAt: number
  /** The newest of them. */
  readonly sampleDeliveryId: string
}

export interface Failures {
  readonly groups: readonly FailureGroup[]
  /** False where a destination has so many failures that only its newest were counted. */
  readonly isComplete: boolean
}

/** Summaries of many deliveries. Each call does a bounded amount of work, however many deliveries there are. */
export interface DeliveryReports {
  /** Failures in groups, the largest group first: of one destination, or of all. */
  failures(filter: { readonly destinationId?: string }): Promise<Failures>
  /**
   * When the oldest event was received that has a pending delivery to the destination, in milliseconds since
   * the epoch; `undefined` where there is none. Looks only at a bounded number of deliveries, those that have been
   * due the longest.
   */
  oldestPendingAt(destinationId: string): Promise<number | undefined>
}
