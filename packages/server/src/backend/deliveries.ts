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

/** A delivery as it stands after a round, or parked without one, and what the round's attempts were. */
export interface RecordedDelivery {
  readonly delivery: Delivery
  readonly attempts: readonly Attempt[]
}

/** A parked delivery that is due, with what it carries. */
export interface ClaimedDelivery<E extends Carried = AcceptedEvent> {
  readonly delivery: Delivery
  readonly event: E
}

/** What `claim` hands out. */
export interface Claim<E extends Carried = AcceptedEvent> {
  readonly deliveries: readonly ClaimedDelivery<E>[]
  /** Due as well, but not to be read. Claimed like the others: the claimer sets them aside, or releases them. */
  readonly unreadable: readonly Unreadable[]
}

export interface DeliveryFilter {
  readonly eventId?: string
  readonly destinationId?: string
  readonly state?: DeliveryState
  /** A webhook of it last answered so, */
  readonly class?: AttemptClass
  /** and with this status. */
  readonly status?: number
  /** Its event was received at this moment or later, in milliseconds since the epoch. */
  readonly from?: number
  /** Its event was received before this moment. */
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
   * Keeps the deliveries as they now are, and the attempts; ends their claims. Durable when it resolves,
   * all or none. Safe to call twice. A record older than what is kept (fewer rounds), or of a delivery
   * in a final state, changes nothing.
   */
  record(records: readonly RecordedDelivery[]): Promise<void>

  /**
   * Hands out pending deliveries of a destination that are due at `now`, the longest due first, each to
   * one claimer at a time. A claim ends with `record`, `release` or `Quarantine.add`, or when the claimer
   * is gone.
   */
  claim(
    destinationId: string,
    options: { readonly now: number; readonly limit: number },
  ): Promise<Claim<E>>

  /** Gives claimed deliveries back untouched. Unknown ids are ignored. */
  release(ids: readonly string[]): Promise<void>

  /** For each destination that has pending, unclaimed deliveries: when the next of them is due. */
  nextDue(): Promise<ReadonlyMap<string, number>>

  /**
   * Makes every held delivery of the destination pending, due at `now`, its window beginning anew.
   * Returns how many there were. Safe to call twice, and to break off.
   */
  unhold(destinationId: string, now: number): Promise<number>
}

/** The deliveries of events, and their history. */
export interface Deliveries extends DeliveryQueue {
  find(id: string): Promise<DeliveryHistory | undefined>

  /** Deliveries, newest first. A page may be short and still have a next one: see `Events.list`. */
  list(filter: DeliveryFilter, page: PageRequest): Promise<Page<DeliveryHistory>>
}
