import type { DeliveryState, EventType } from '@hookline/protocol'
import type { AuditEntry } from './audit.ts'
import type { Page, PageRequest } from './page.ts'

/** States that a replay can make pending again: those that are an end. */
export type ReplayableState = Exclude<DeliveryState, 'pending' | 'held'>

/** Which deliveries a replay makes pending again. */
export interface ReplaySelection {
  readonly destinationId: string
  readonly states: readonly ReplayableState[]
  /** Of events received at this time or later, in milliseconds since the epoch. */
  readonly from: number
  /** Of events received before this time. */
  readonly to: number
  /** Of any type where absent. */
  readonly types?: readonly EventType[]
  /** A text anywhere in the JSON of the call, in upper or lower case. */
  readonly text?: string
  /** Whether the replay also makes deliveries of events that the destination got none of because it was disabled. */
  readonly includeDeclined: boolean
}

/** A replay: new attempts for a range of past deliveries, made in slices. */
export interface Replay {
  /** `rpl_…` */
  readonly id: string
  readonly selection: ReplaySelection
  /** Deliveries per second at most; `null` for no limit other than the lane's. */
  readonly ratePerSecond: number | null
  /** `queued` and `running` are open; the others are ends. */
  readonly state: 'queued' | 'running' | 'finished' | 'cancelled'
  /** Milliseconds since the epoch, as the other times. */
  readonly createdAt: number
  readonly finishedAt: number | null
  /** Deliveries and decisions looked at. */
  readonly scanned: number
  /** Deliveries made pending, new ones included. */
  readonly requeued: number
  /** How many of the requeued deliveries have been delivered since. */
  readonly delivered: number
  /** How many of the requeued deliveries have ended otherwise since. */
  readonly failed: number
  /** When the last event that was looked at was received. */
  readonly reachedAt: number | null
  /** Where the next slice begins. */
  readonly cursor: string | null
}

/** A slice of what a selection matches, in the order of receipt. */
export interface ReplaySlice {
  /** Events with a delivery that matches, or, with `includeDeclined`, without a delivery. */
  readonly eventIds: readonly string[]
  readonly scanned: number
  readonly reachedAt: number | null
  /** Where the next slice begins; `null` after the last. */
  readonly cursor: string | null
}

/** The result of one slice, as `advance` records it. */
export interface ReplayStep extends Omit<ReplaySlice, 'eventIds'> {
  /** Deliveries that become pending, due at `now`. */
  readonly deliveries: readonly { readonly id: string; readonly eventId: string }[]
  readonly now: number
}

/** Replays and manual retries: they make ended deliveries pending again. */
export interface Replays {
  /** Keeps a new replay. Durable when it resolves. A second call with the id rejects. */
  create(replay: Replay, audit?: AuditEntry): Promise<void>
  find(id: string): Promise<Replay | undefined>

  /** Replays, newest first; with `isOpen` only those that are queued or running. */
  list(filter: { readonly isOpen?: true }, page: PageRequest): Promise<Page<Replay>>

  /**
   * Ends a replay: no step follows. Deliveries that are already pending stay so. Durable when it resolves. Safe to call
   * twice: a replay that has ended stays as it is.
   */
  cancel(id: string, now: number, audit?: AuditEntry): Promise<void>

  /**
   * Looks at up to `scan` more deliveries or decisions, until `limit` of them match. Takes a few milliseconds;
   * changes nothing.
   */
  select(
    selection: ReplaySelection,
    options: { readonly cursor: string | null; readonly scan: number; readonly limit: number },
  ): Promise<ReplaySlice>

  /**
   * Makes the deliveries of a step pending, with no attempts and a new window, and moves the replay behind them.
   * Durable when it resolves, both or neither. Leaves a delivery alone that is pending or held, or whose event is
   * gone. Resolves to the replay afterwards. Safe to call twice: where the replay has ended, or is no longer at
   * the cursor of `replay`, it changes nothing and resolves to `undefined`.
   */
  advance(replay: Replay, step: ReplayStep): Promise<Replay | undefined>

  /**
   * Makes one delivery pending, due at `now`, with no attempts and a new window, in whatever state it is except
   * held. Resolves, when that is durable, to whether it is pending. Safe to call twice.
   */
  retry(deliveryId: string, now: number, audit?: AuditEntry): Promise<boolean>
}
