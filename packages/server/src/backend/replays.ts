import type { AcceptedEvent, DeliveryState, EventType } from '@hookline/protocol'
import type { AuditEntry } from './audit.ts'
import type { Page, PageRequest } from './page.ts'

/** Final states, which a replay can make pending again. */
export type ReplayableState = Exclude<DeliveryState, 'pending' | 'held'>

export interface ReplaySelection {
  readonly destinationId: string
  readonly states: readonly ReplayableState[]
  readonly from: number
  readonly to: number
  readonly types?: readonly EventType[]
  readonly text?: string
  /** Whether to also deliver events that were not delivered because of the settings of the destination. */
  readonly includeDeclined: boolean
}

/** New attempts for a range of past deliveries, made in slices. */
export interface Replay {
  readonly id: string
  readonly selection: ReplaySelection
  readonly ratePerSecond: number | null
  readonly state: 'queued' | 'running' | 'finished' | 'cancelled'
  readonly createdAt: number
  readonly finishedAt: number | null
  readonly scanned: number
  readonly requeued: number
  readonly delivered: number
  readonly failed: number
  readonly reachedAt: number | null
  readonly cursor: string | null
}

export interface ReplayScan {
  readonly cursor: string | null
  readonly scan: number
  readonly limit: number
  /** Whether the destination would get an event that it declined; absent if it would get all. */
  readonly isSelected?: ((event: AcceptedEvent) => boolean) | undefined
}

export interface ReplaySlice {
  /** Events with a matching delivery, or, with `includeDeclined`, without a delivery. */
  readonly eventIds: readonly string[]
  readonly scanned: number
  readonly reachedAt: number | null
  readonly cursor: string | null
}

export interface ReplayStep extends Omit<ReplaySlice, 'eventIds'> {
  readonly deliveries: readonly { readonly id: string; readonly eventId: string }[]
  readonly now: number
}

/** Replays and manual retries: they make ended deliveries pending again. */
export interface Replays {
  create(replay: Replay, audit?: AuditEntry): Promise<void>
  find(id: string): Promise<Replay | undefined>

  list(filter: { readonly isOpen?: true }, page: PageRequest): Promise<Page<Replay>>

  /** Ends a replay. Deliveries that are already pending remain pending. */
  cancel(id: string, now: number, audit?: AuditEntry): Promise<void>

  /** Examines up to `scan` more deliveries or decisions, until `limit` of them match, in a few milliseconds. */
  select(selection: ReplaySelection, options: ReplayScan): Promise<ReplaySlice>

  /**
   * Makes the deliveries in a step pending with a new window, and advances the cursor: both or neither. Skips unfinished ones.
   * Resolves to the new replay, or to `undefined` without changes if the replay has ended or is at another cursor.
   */
  advance(replay: Replay, step: ReplayStep): Promise<Replay | undefined>

  /** Makes one delivery pending, due at `now`, with a new window, unless it is held. Resolves to whether it is pending. */
  retry(deliveryId: string, now: number, audit?: AuditEntry): Promise<boolean>
}
