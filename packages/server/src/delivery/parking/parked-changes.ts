import type {
  Delivery,
  DeliveryContent,
  DeliveryPart,
  Destination,
  WebhooksSettings,
} from '@hookline/protocol'
import type { DeliveryContext } from '../delivery-context.ts'
import type { Claim, ClaimRequest, LaneId, WaitingLane } from '../../backend/deliveries.ts'
import type { OpenDeliveries, OpenDelivery } from '../lanes/open-delivery.ts'
import {
  expire,
  longestWaitMs,
  type PartChange,
  partOf,
  remove,
  type RetrySchedule,
  scheduleFor,
  settingsFor,
  withPart,
  withParts,
} from '../parts/parts.ts'
import type { DeliveryRecorder } from '../records/delivery-recorder.ts'
import { quarantineAll } from '../records/quarantine.ts'

export interface ParkedChangesOptions extends DeliveryContext {
  readonly schedule: RetrySchedule
  readonly open: OpenDeliveries
  readonly recorder: DeliveryRecorder
}

/** The maximum number of parts in a slice. Reading them with their events takes up to 10 ms. */
const SLICE = 100
/** A `due` that selects parts due at any time. */
export const ANY_TIME = Number.MAX_SAFE_INTEGER

/** Changes parts in the backend without an attempt, one slice of a lane at a time. */
export class ParkedChanges {
  readonly #options: ParkedChangesOptions
  readonly #startedAt: number
  readonly #maxWaitMs: number

  constructor(options: ParkedChangesOptions) {
    this.#options = options
    this.#startedAt = options.clock.now()
    this.#maxWaitMs = longestWaitMs(options.schedule)
  }

  /** Changes a slice of the parts of a lane. Returns whether more may remain. */
  async change(
    lane: LaneId,
    destination: Destination,
    due: ClaimRequest['due'],
    change: PartChange,
  ): Promise<boolean> {
    const { successPolicy } = this.#settingsFor(destination)
    return this.#changeSlice(lane, due, (each) => withPart(each, lane.url, successPolicy, change))
  }

  /** Corrects a slice of due times that another clock set too far in the future. Returns whether more may remain. */
  bringForward(lane: LaneId): Promise<boolean> {
    const due = { after: this.#options.clock.now() + this.#maxWaitOf(lane) }
    return this.#changeSlice(lane, due, (each) => this.#withCorrectedDueTimes(each))
  }

  /**
   * Handles a removed webhook or destination: removes a slice of the lane's parts, and adds parts for the current webhooks, if
   * any, to their deliveries. Returns whether more may remain.
   */
  async splitAgain(lane: WaitingLane): Promise<boolean> {
    const policy = this.#settings(lane)?.successPolicy ?? 'each'
    const change = (delivery: Delivery): Delivery =>
      withPart(this.#split(delivery), lane.url, policy, remove)
    const hasMore = lane.dueAt !== null && (await this.#changeSlice(lane, ANY_TIME, change))
    const isMoreHeld = lane.isHeld && (await this.#changeSlice(lane, 'held', change))
    return hasMore || isMoreHeld
  }

  /** Ends a slice of the parts whose retry window passed while the breaker was open. Returns whether more may remain. */
  async expireOverdue(
    lane: LaneId,
    outage: { readonly since: number; readonly failedAt: number },
    destination: Destination,
  ): Promise<boolean> {
    const { clock, deliveries } = this.#options
    const times = { now: clock.now(), retryWindowMs: this.#windowOf(lane, destination), ...outage }
    const claim = await deliveries.claim(lane, { due: times.now, limit: SLICE })
    const isOver = (delivery: Delivery): boolean => isOverdue(delivery, lane.url, times)
    return this.#endSlice(lane, claim, isOver, destination)
  }

  /** Ends a slice of the held parts whose retry window is over. Returns whether more may remain. */
  async expireHeld(lane: LaneId, destination: Destination): Promise<boolean> {
    const { clock, deliveries } = this.#options
    const claim = await deliveries.claim(lane, { due: 'held', limit: SLICE })
    const before = clock.now() - this.#windowOf(lane, destination)
    const isOver = (delivery: Delivery): boolean => isHeldTooLong(delivery, lane.url, before)
    return this.#endSlice(lane, claim, isOver, destination)
  }

  /** The claimed deliveries. One already in memory keeps its state, unless a replay has restarted it. */
  opened(claim: Claim<DeliveryContent>): OpenDelivery[] {
    const { open } = this.#options
    return claim.deliveries.map(({ delivery: stored, event }) => {
      const delivery = this.#withCorrectedDueTimes(stored)
      const known = open.find(delivery.id)
      if (known?.delivery.firstDueAt === delivery.firstDueAt) return known
      const opened = known ?? open.add(delivery, event)
      opened.delivery = delivery
      opened.recorded = stored
      return opened
    })
  }

  async quarantine({ unreadable }: Claim<DeliveryContent>): Promise<void> {
    await quarantineAll(unreadable, this.#options)
  }

  #withCorrectedDueTimes(delivery: Delivery): Delivery {
    return withCorrectedDueTimes(delivery, {
      startedAt: this.#startedAt,
      now: this.#options.clock.now(),
      maxWaitMs: this.#maxWaitOf(delivery),
    })
  }

  /** The maximum wait between two attempts to any of the destination's webhooks. */
  #maxWaitOf(of: { readonly destinationId: string }): number {
    const webhooks = this.#settings(of)?.webhooks ?? []
    return webhooks.reduce(
      (max, { limits }) =>
        limits?.retryScheduleMs === undefined
          ? max
          : Math.max(max, longestWaitMs({ delaysMs: limits.retryScheduleMs })),
      this.#maxWaitMs,
    )
  }

  #windowOf({ url }: LaneId, { settings }: Destination): number {
    const webhook = settings.webhooks.find((each) => each.url === url)
    return scheduleFor(this.#options.schedule, webhook?.limits).windowMs
  }

  #split(delivery: Delivery): Delivery {
    const settings = this.#settings(delivery)
    return settings ? withParts(delivery, settings, this.#options.clock.now()) : delivery
  }

  #settings({ destinationId }: { readonly destinationId: string }): WebhooksSettings | undefined {
    const destination = this.#options.catalog.current.destinations.get(destinationId)
    return destination && this.#settingsFor(destination)
  }

  #settingsFor(destination: Destination): WebhooksSettings {
    return settingsFor(destination, this.#options.successPolicy)
  }

  async #changeSlice(
    lane: LaneId,
    due: ClaimRequest['due'],
    change: (delivery: Delivery) => Delivery,
  ): Promise<boolean> {
    const claim = await this.#options.deliveries.claim(lane, { due, limit: SLICE })
    await this.#record(claim, change)
    return claim.deliveries.length + claim.unreadable.length === SLICE
  }

  /** Ends the claimed parts for which `isOver` holds, and releases the others. Returns whether more may remain. */
  async #endSlice(
    lane: LaneId,
    claim: Claim<DeliveryContent>,
    isOver: (delivery: Delivery) => boolean,
    destination: Destination,
  ): Promise<boolean> {
    const { successPolicy } = this.#settingsFor(destination)
    const { over = [], waiting = [] } = Object.groupBy(claim.deliveries, ({ delivery }) =>
      isOver(this.#withCorrectedDueTimes(delivery)) ? 'over' : 'waiting',
    )
    // Unreadable deliveries are quarantined when the lane claims them.
    const unchanged = [...waiting.map(({ delivery }) => delivery), ...claim.unreadable]
    await this.#options.deliveries.release(
      unchanged.map(({ id }) => id),
      lane,
    )
    const ended = { deliveries: over, unreadable: [] }
    await this.#record(ended, (each) => withPart(each, lane.url, successPolicy, expire))
    return over.length === SLICE
  }

  async #record(
    claim: Claim<DeliveryContent>,
    change: (delivery: Delivery) => Delivery,
  ): Promise<void> {
    const records = this.opened(claim).map((open) => {
      open.delivery = change(open.delivery)
      return this.#options.recorder.record(open)
    })
    await Promise.all([...records, this.quarantine(claim)])
  }
}

interface OutageTimes {
  readonly now: number
  readonly retryWindowMs: number
  readonly since: number
  /** When a probe last failed. */
  readonly failedAt: number
}

/**
 * Whether the part expires: its window is over, and either the part was attempted, or the breaker
 * was open with failing probes throughout. A part that is late because Hookline was not running is
 * still attempted.
 */
function isOverdue(delivery: Delivery, url: string, times: OutageTimes): boolean {
  const part = partOf(delivery, url)
  if (part === undefined) return false
  const end = part.firstDueAt + times.retryWindowMs
  if (end > times.now) return false
  // A probe must have failed after the end of the window. While Hookline is stopped, it sends none.
  return part.lastAttempt !== undefined || (times.since <= part.firstDueAt && times.failedAt >= end)
}

function isHeldTooLong(delivery: Delivery, url: string, before: number): boolean {
  const part = partOf(delivery, url)
  return part !== undefined && part.firstDueAt <= before
}

interface ClockBounds {
  readonly startedAt: number
  readonly now: number
  readonly maxWaitMs: number
}

/** Corrects due times of pending parts: those before this process started, and those too far ahead, which another clock set. */
export function withCorrectedDueTimes(delivery: Delivery, times: ClockBounds): Delivery {
  if (delivery.webhooks.every((part) => shiftOf(part, times) === 0)) return delivery
  const webhooks = delivery.webhooks.map((part) => shiftPart(part, shiftOf(part, times), times.now))
  return { ...delivery, webhooks, dueAt: Math.min(...webhooks.flatMap(({ dueAt }) => dueAt ?? [])) }
}

function shiftOf(
  { state, dueAt }: DeliveryPart,
  { startedAt, now, maxWaitMs }: ClockBounds,
): number {
  if (state !== 'pending' || dueAt === null) return 0
  if (dueAt < startedAt) return startedAt - dueAt
  return dueAt > now + maxWaitMs ? now - dueAt : 0
}

function shiftPart(part: DeliveryPart, ms: number, now: number): DeliveryPart {
  if (ms === 0 || part.dueAt === null) return part
  const dueAt = part.dueAt + ms
  // Earlier limits of the webhook may have set a late due time. The window still begins at the first due time.
  if (ms < 0 && part.firstDueAt <= now) return { ...part, dueAt }
  return { ...part, firstDueAt: part.firstDueAt + ms, dueAt }
}
