import type { DeliveryState, EventType } from '@hookline/protocol'
import type { Page, PageRequest } from './page.ts'

/** Deliveries that may be made anew: those that have an end. */
export type ReplayableState = Exclude<DeliveryState, 'pending' | 'held'>

/** Which deliveries a replay is about. */
export interface ReplaySelection {
  readonly destinationId: string
  readonly states: readonly ReplayableState[]
  /** Of events received at this time or later, in milliseconds since the epoch. */
  readonly from: number
  /** … and before this. */
  readonly to: number
  /** Of any type where absent. */
  readonly types?: readonly EventType[]
  /** What the call contains somewhere, in any case. */
  readonly text?: string
  /** Besides, events that made no delivery because the destination was off. */
  readonly includeDeclined: boolean
}

/** New rounds for a range of past deliveries, one slice after the other. */
export interface Replay {
  /** `rpl_…` */
  readonly id: string
  readonly selection: ReplaySelection
  /** Deliveries per second at most, or `null` for no limit but that of the lane. */
  readonly ratePerSecond: number | null
  /** `queued` and `running` are still to be worked on. */
  readonly state: 'queued' | 'running' | 'finished' | 'cancelled'
  /** Milliseconds since the epoch, as the other times. */
  readonly createdAt: number
  readonly finishedAt: number | null
  /** Deliveries and decisions looked at. */
  readonly scanned: number
  /** Deliveries made due again, or made. */
  readonly requeued: number
  /** Of those: how many have been delivered, … */
  readonly delivered: number
  /** … and how many came to another end. Counted as they end. */
  readonly failed: number
  /** When the last event looked at was received. */
  readonly reachedAt: number | null
  /** Where the next slice begins. */
  readonly cursor: string | null
}

/** A part of what a selection matches, in the order of receipt. */
export interface ReplaySlice {
  /** Events whose delivery matches, or that match for want of one. */
  readonly eventIds: readonly string[]
  readonly scanned: number
  readonly reachedAt: number | null
  /** Where the next slice begins; `null` after the last. */
  readonly cursor: string | null
}

/** One step of a replay, as it is kept. */
export interface ReplayStep extends Omit<ReplaySlice, 'eventIds'> {
  /** Deliveries to be pending, due at `now`. */
  readonly deliveries: readonly { readonly id: string; readonly eventId: string }[]
  readonly now: number
}

/** Replays, and retries by hand: what makes ended deliveries pending again. */
export interface Replays {
  /** Keeps a new replay. Durable when it resolves. */
  create(replay: Replay): Promise<void>
  find(id: string): Promise<Replay | undefined>

  /** Replays, newest first; with `isOpen` only those still to be worked on. */
  list(filter: { readonly isOpen?: true }, page: PageRequest): Promise<Page<Replay>>

  /** Ends a replay: no step follows. What is pending already stays so. Nothing for one that has ended. */
  cancel(id: string, now: number): Promise<void>

  /** Looks at the next `scan` deliveries or decisions, until `limit` match. Takes a few milliseconds. */
  select(
    selection: ReplaySelection,
    options: { readonly cursor: string | null; readonly scan: number; readonly limit: number },
  ): Promise<ReplaySlice>

  /**
   * Takes a step: the deliveries are pending with rounds and window anew, and the replay stands behind
   * them, durably, both or neither. A delivery that is pending or held, or whose event is gone, is left
   * alone. Returns the replay as it then is; `undefined`, and nothing is done, where it has ended or was
   * not at the cursor of `replay` any more.
   */
  advance(replay: Replay, step: ReplayStep): Promise<Replay | undefined>

  /**
   * Makes one delivery pending, due at `now`, with rounds and window anew, whatever it was but held.
   * Returns whether it is.
   */
  retry(deliveryId: string, now: number): Promise<boolean>
}
