import type { Destination } from '@hookline/protocol'
import type { DeliveryContext } from '../delivery-context.ts'
import { fieldsOf } from '../../telemetry/names.ts'
import { type LaneId, laneKey, type WaitingLane } from '../../backend/deliveries.ts'
import { Recurring } from '../../util/time/recurring.ts'
import { TimeSlices } from '../../util/time/time-slices.ts'
import type { Worker } from '../../util/workers/worker.ts'
import type { WebhookHealth } from '../health/webhook-health.ts'
import type { Lane } from '../lanes/lane.ts'
import type { OpenDelivery } from '../lanes/open-delivery.ts'
import { isPaused } from '../parts/parts.ts'
import type { ParkedChanges } from './parked-changes.ts'

export interface ParkedFeedOptions extends DeliveryContext {
  readonly health: WebhookHealth
  /** Whether the lanes of a destination are fed here; by default all are. */
  readonly owns?: ((destinationId: string) => boolean) | undefined
  readonly changes: ParkedChanges
  readonly lane: (id: LaneId) => Lane
  /** Puts a claimed part into its lane. Returns false when it is there already. */
  readonly push: (lane: Lane, open: OpenDelivery) => boolean
}

/** The longest wait, whatever the feed knows of: another node may have died with what it had claimed. */
const LONGEST_WAIT_MS = 15_000
const AFTER_FAILURE_MS = 1_000

/**
 * Takes up what waits in the backend, lane by lane:
 *
 *     part due, its lane has room, its webhook may be tried ─▶ lane
 *     webhook or destination paused ─────────────────────────▶ held, whenever it is due
 *     webhook and destination resumed ───────────────────────▶ held parts are due now
 *     webhook removed ───────────────────────────────────────▶ parts for the webhooks that there are now
 *     destination removed ───────────────────────────────────▶ rejected
 *     retry window over while the breaker was open ──────────▶ expired
 *
 * Parts of a disabled destination wait until it is enabled. The feed waits until the earliest time that it knows of. An
 * earlier due time, a lane that ran low, a breaker that closed and a change of the catalog wake it. A delivery that
 * cannot be read is quarantined.
 */
export class ParkedFeed implements Worker {
  readonly name: string
  readonly #options: ParkedFeedOptions
  readonly #recurring: Recurring
  /** By lane: the failed probe, or the minute, for which it last looked for parts to end. */
  readonly #checkedAt = new Map<string, number>()
  /** Lanes whose parts are all due at a time that this process can believe. */
  readonly #believed = new Set<string>()
  /** Lanes whose parts are to be due now, until they are. */
  readonly #toMakeDue = new Set<string>()

  constructor(name: string, options: ParkedFeedOptions) {
    this.name = name
    this.#options = options
    this.#recurring = new Recurring({ clock: options.clock, work: () => this.#feed() })
  }

  async run(signal: AbortSignal): Promise<void> {
    const unsubscribe = this.#options.catalog.onChange(() => this.wake())
    try {
      await this.#recurring.run(signal)
    } finally {
      unsubscribe()
    }
  }

  /** Parts may be due now. */
  wake(): void {
    this.#recurring.wake()
  }

  /** Parts were parked. The feed looks again when one is due. */
  parked(dueAt: number): void {
    this.#recurring.wakeBy(dueAt)
  }

  /** A person wants the next attempts of this lane now: what is due later becomes due. */
  makeDue(lane: LaneId): void {
    this.#toMakeDue.add(laneKey(lane))
    this.wake()
  }

  /** A lane has finished a task. Once half of its room is free, it gets more parts. */
  laneHasRoom(lane: Lane): void {
    if (lane.isBacklogged && lane.isLow) this.wake()
  }

  /** Fills the lanes that may make attempts. Returns after how long to look again. */
  async #feed(): Promise<number> {
    const { clock } = this.#options
    const toMakeDue = new Set(this.#toMakeDue)
    const lanes = await this.#waiting()
    const withoutParts = toMakeDue.difference(new Set(lanes.map(laneKey)))
    for (const key of withoutParts) this.#toMakeDue.delete(key)
    let lookAt = clock.now() + LONGEST_WAIT_MS
    const slices = new TimeSlices(clock)
    for (const lane of lanes) {
      // A claim reads at once, so that many of them would keep everything else waiting.
      await slices.yieldIfOver()
      lookAt = Math.min(lookAt, await this.#feedLaneOrLater(lane))
    }
    return lookAt - clock.now()
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
      logger.warn({ ...fields, err: error }, 'parked.failed')
      return clock.now() + AFTER_FAILURE_MS
    }
  }

  /** Returns when to look at this lane again; `Infinity` when something else wakes the feed. */
  async #feedLane(waiting: WaitingLane): Promise<number> {
    const { catalog, changes } = this.#options
    const { destinationId, url, dueAt, isHeld } = waiting
    const destination = catalog.current.destinations.get(destinationId)
    const webhook = destination?.settings.webhooks.find((each) => each.url === url)
    if (destination === undefined || webhook === undefined) {
      await changes.splitAgain(waiting)
    } else if (isPaused(destination, webhook)) {
      if (dueAt !== null) await changes.hold(waiting, destination)
      // Nobody resumes it before the setting is changed that forbids its URL.
      const isForbidden = webhook.paused?.reason === 'forbidden'
      if (isHeld && isForbidden) await this.#expireHeld(waiting, destination)
    } else {
      if (isHeld) await changes.resume(waiting, destination)
      if (dueAt !== null && destination.enabled) return this.#feedDue(waiting, dueAt, destination)
    }
    return Infinity
  }

  /** For a lane that may be fed, with a part that is due at `dueAt`. */
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

  /** Once for each lane: what this process stores is due at a time that it can believe. */
  async #bringForward(lane: LaneId): Promise<void> {
    const key = laneKey(lane)
    if (this.#believed.has(key)) return
    if (await this.#options.changes.bringForward(lane)) this.wake()
    else this.#believed.add(key)
  }

  async #makeDue(lane: LaneId): Promise<void> {
    const { catalog, changes } = this.#options
    const destination = catalog.current.destinations.get(lane.destinationId)
    this.#toMakeDue.delete(laneKey(lane))
    try {
      if (destination && (await changes.makeDue(lane, destination))) this.makeDue(lane)
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
    // A broken webhook gets one delivery to try, the oldest one.
    const limit = Math.min(lane.roomFor('parked'), isBroken ? 1 : Infinity)
    lane.isBacklogged = limit === 0
    if (limit === 0) return
    const claim = await deliveries.claim(id, { due: clock.now(), limit })
    const claimed = claim.deliveries.length
    // Looked up again: an empty lane is closed, and another one may have replaced it.
    const current = this.#options.lane(id)
    current.isBacklogged = claimed === limit
    const pushed = changes.opened(claim).filter((open) => push(current, open)).length
    // There was room for more, so the rest is due later. Only the next look finds out when.
    const isMore = pushed > 0 || claim.unreadable.length > 0
    // Another node looked at the same parts at this moment. It may have taken only some of them.
    if (claimed === 0 && !isMore) this.parked(clock.now() + AFTER_FAILURE_MS)
    if (isMore && claimed < limit) this.wake()
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

  /** Held parts are looked at once a minute. */
  #expireHeld(lane: LaneId, destination: Destination): Promise<void> {
    const { changes, clock } = this.#options
    const minute = Math.floor(clock.now() / LONGEST_WAIT_MS)
    return this.#oncePer(minute, lane, () => changes.expireHeld(lane, destination))
  }

  /** Looks for parts to end, until there are no more; then not again for the same `moment`. */
  async #oncePer(moment: number, lane: LaneId, end: () => Promise<boolean>): Promise<void> {
    const key = laneKey(lane)
    if (this.#checkedAt.get(key) === moment) return
    if (await end()) this.wake()
    else this.#checkedAt.set(key, moment)
  }
}
