import type { Destination } from '@hookline/protocol'
import type { DeliveryContext } from '../delivery-context.ts'
import { fieldsOf } from '../../telemetry/names.ts'
import { type LaneId, laneKey, type WaitingLane } from '../../backend/deliveries.ts'
import { RecurringWork } from '../../util/time/recurring.ts'
import { TimeSlices } from '../../util/time/time-slices.ts'
import type { Worker } from '../../util/workers/worker.ts'
import type { WebhookHealth } from '../health/webhook-health.ts'
import type { Lane } from '../lanes/lane.ts'
import type { OpenDelivery } from '../lanes/open-delivery.ts'
import { hold, isPaused, makeDueAt, resumeAt } from '../parts/parts.ts'
import { ANY_TIME, type ParkedChanges } from './parked-changes.ts'

export interface ParkedFeedOptions extends DeliveryContext {
  readonly health: WebhookHealth
  readonly owns?: ((destinationId: string) => boolean) | undefined
  readonly changes: ParkedChanges
  readonly lane: (id: LaneId) => Lane
  /** Puts a claimed part into its lane. Returns false if it is already there. */
  readonly push: (lane: Lane, open: OpenDelivery) => boolean
}

/** The maximum wait: another node may have died with parts that it claimed. */
const MAX_WAIT_MS = 15_000
const AFTER_FAILURE_MS = 1_000

/**
 * Feeds parked parts to the lanes, lane by lane:
 *
 *     part due, its lane has room, its webhook may be tried ─▶ lane
 *     webhook or destination paused ─────────────────────────▶ held, regardless of due time
 *     webhook and destination resumed ───────────────────────▶ held parts are due now
 *     webhook removed ───────────────────────────────────────▶ parts for the current webhooks
 *     destination removed ───────────────────────────────────▶ rejected
 *     retry window over while the breaker was open ──────────▶ expired
 *     retry window over while the URL is forbidden ──────────▶ expired or rejected
 *
 * Parts of a disabled destination wait. The feed sleeps until the earliest known due time. An earlier due
 * time, a lane with room, a closed breaker or a change to the catalog wakes it.
 */
export class ParkedFeed implements Worker {
  readonly name: string
  readonly #options: ParkedFeedOptions
  readonly #recurring: RecurringWork
  /** The `moment` of the last complete check of a lane: the time of a failed probe, or the number of an interval. */
  readonly #checkedAt = new Map<string, number>()
  /** Lanes whose due times have been corrected. */
  readonly #correctedLanes = new Set<string>()
  readonly #toMakeDue = new Set<string>()

  constructor(name: string, options: ParkedFeedOptions) {
    this.name = name
    this.#options = options
    this.#recurring = new RecurringWork({ clock: options.clock, work: () => this.#feed() })
  }

  async run(signal: AbortSignal): Promise<void> {
    const unsubscribe = this.#options.catalog.onChange(() => this.wake())
    try {
      await this.#recurring.run(signal)
    } finally {
      unsubscribe()
    }
  }

  wake(): void {
    this.#recurring.wake()
  }

  parked(dueAt: number): void {
    this.#recurring.wakeBy(dueAt)
  }

  /** Makes the lane's later parts due now, for a manual retry. */
  makeDue(lane: LaneId): void {
    this.#toMakeDue.add(laneKey(lane))
    this.wake()
  }

  /** Refills the lane once half of its room is free. Call it when a task ends. */
  laneHasRoom(lane: Lane): void {
    if (lane.isBacklogged && lane.isLow) this.wake()
  }

  async #feed(): Promise<number> {
    const { clock } = this.#options
    const toMakeDue = new Set(this.#toMakeDue)
    const lanes = await this.#waiting()
    const withoutParts = toMakeDue.difference(new Set(lanes.map(laneKey)))
    for (const key of withoutParts) this.#toMakeDue.delete(key)
    let wakeAt = clock.now() + MAX_WAIT_MS
    const slices = new TimeSlices(clock)
    for (const lane of lanes) {
      // A claim reads synchronously, so a long series would block everything else.
      await slices.yieldIfOver()
      wakeAt = Math.min(wakeAt, await this.#feedLaneOrLater(lane))
    }
    return wakeAt - clock.now()
  }

  async #waiting(): Promise<readonly WaitingLane[]> {
    const { deliveries, owns } = this.#options
    const { lanes } = await deliveries.waiting()
    return owns ? lanes.filter(({ destinationId }) => owns(destinationId)) : lanes
  }

  /** A lane that fails does not stop the others. */
  async #feedLaneOrLater(waiting: WaitingLane): Promise<number> {
    try {
      if (this.#toMakeDue.has(laneKey(waiting))) await this.#makeDue(waiting)
      return await this.#feedLane(waiting)
    } catch (error) {
      const { catalog, clock, logger } = this.#options
      const { destinationId, url } = waiting
      const fields = fieldsOf(destinationId, url, catalog.current)
      logger.warn({ ...fields, err: error }, 'backlog.read_failed')
      return clock.now() + AFTER_FAILURE_MS
    }
  }

  /** Returns when to look at this lane again; `Infinity` when something else wakes the feed. */
  async #feedLane(waiting: WaitingLane): Promise<number> {
    const { catalog, changes, clock } = this.#options
    const { destinationId, url, dueAt, isHeld } = waiting
    const destination = catalog.current.destinations.get(destinationId)
    const webhook = destination?.settings.webhooks.find((each) => each.url === url)
    if (destination === undefined || webhook === undefined) {
      await this.#wakeIf(changes.splitAgain(waiting))
    } else if (isPaused(destination, webhook)) {
      if (dueAt !== null) await this.#wakeIf(changes.change(waiting, destination, ANY_TIME, hold))
      // A forbidden URL does not suspend the retry window.
      const isForbidden = webhook.paused?.reason === 'url_forbidden'
      if (isHeld && isForbidden) await this.#expireHeld(waiting, destination)
    } else {
      if (isHeld)
        await this.#wakeIf(changes.change(waiting, destination, 'held', resumeAt(clock.now())))
      if (dueAt !== null && destination.enabled) return this.#feedDue(waiting, dueAt, destination)
    }
    return Infinity
  }

  async #wakeIf(isMore: Promise<boolean>): Promise<void> {
    if (await isMore) this.wake()
  }

  async #feedDue(lane: LaneId, dueAt: number, destination: Destination): Promise<number> {
    const { clock, health } = this.#options
    await this.#bringForward(lane)
    const readyAt = Math.max(dueAt, health.blockedUntil(lane.destinationId, lane.url))
    if (readyAt > clock.now()) {
      await this.#expireOverdue(lane, destination)
      return readyAt
    }
    await this.#fill(lane)
    return Infinity
  }

  /** Once per lane: corrects due times that another clock has set. */
  async #bringForward(lane: LaneId): Promise<void> {
    const key = laneKey(lane)
    if (this.#correctedLanes.has(key)) return
    if (await this.#options.changes.bringForward(lane)) this.wake()
    else this.#correctedLanes.add(key)
  }

  async #makeDue(lane: LaneId): Promise<void> {
    const { catalog, changes, clock } = this.#options
    const destination = catalog.current.destinations.get(lane.destinationId)
    const now = clock.now()
    this.#toMakeDue.delete(laneKey(lane))
    try {
      if (destination && (await changes.change(lane, destination, { after: now }, makeDueAt(now))))
        this.makeDue(lane)
    } catch (error) {
      this.#toMakeDue.add(laneKey(lane))
      throw error
    }
  }

  async #fill({ destinationId, url }: LaneId): Promise<void> {
    const { changes, clock, deliveries, health, push } = this.#options
    const id = { destinationId, url }
    const lane = this.#options.lane(id)
    const isBroken = health.brokenSince(destinationId, url) !== undefined
    // A broken webhook gets only its oldest delivery, as a probe.
    const limit = Math.min(lane.roomFor('parked'), isBroken ? 1 : Infinity)
    lane.isBacklogged = limit === 0
    if (limit === 0) return
    const claim = await deliveries.claim(id, { due: clock.now(), limit })
    const claimed = claim.deliveries.length
    // Looked up again: an empty lane is closed, and may have been replaced.
    const current = this.#options.lane(id)
    current.isBacklogged = claimed === limit
    const pushed = changes.opened(claim).filter((open) => push(current, open)).length
    // If the claim did not fill the room, the rest is due later: the next pass finds out when.
    const hasMore = pushed > 0 || claim.unreadable.length > 0
    // Another node may have claimed the same parts at this moment, perhaps only some of them.
    if (claimed === 0 && !hasMore) this.parked(clock.now() + AFTER_FAILURE_MS)
    if (hasMore && claimed < limit) this.wake()
    await changes.quarantine(claim)
  }

  /** A part becomes overdue only when a probe fails, so between probes there is nothing to look for. */
  async #expireOverdue(lane: LaneId, destination: Destination): Promise<void> {
    const { changes, health } = this.#options
    const since = health.brokenSince(lane.destinationId, lane.url)
    const failedAt = health.lastFailureAt(lane.destinationId, lane.url)
    if (since === undefined || failedAt === undefined) this.#checkedAt.delete(laneKey(lane))
    else
      await this.#oncePer(failedAt, lane, () =>
        changes.expireOverdue(lane, { since, failedAt }, destination),
      )
  }

  #expireHeld(lane: LaneId, destination: Destination): Promise<void> {
    const { changes, clock } = this.#options
    const interval = Math.floor(clock.now() / MAX_WAIT_MS)
    return this.#oncePer(interval, lane, () => changes.expireHeld(lane, destination))
  }

  /** Expires parts until none are left, once per `moment`. */
  async #oncePer(moment: number, lane: LaneId, end: () => Promise<boolean>): Promise<void> {
    const key = laneKey(lane)
    if (this.#checkedAt.get(key) === moment) return
    if (await end()) this.wake()
    else this.#checkedAt.set(key, moment)
  }
}
