import type { Carried, Destination } from '@hookline/protocol'
import type { Logger } from 'pino'
import type { Catalog } from '../../backend/catalog.ts'
import type { Deletions } from '../../backend/deletions.ts'
import type { DeliveryQueue } from '../../backend/deliveries.ts'
import type { Quarantine, Unreadable } from '../../backend/quarantine.ts'
import type { ActivityListener } from '../../telemetry/activity-listener.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import type { Clock } from '../../util/clock.ts'
import { Recurring } from '../../util/recurring.ts'
import type { Worker } from '../../util/worker.ts'
import { expireUnderOpenBreaker } from './expiry.ts'
import { holdPending } from './hold-pending.ts'
import type { DeliveryTask, Lane } from '../lanes/lane.ts'
import { blockedUntil, brokenSince, isPaused, lastFailureAt } from '../health/destination-health.ts'
import { quarantineAll } from '../records/quarantine.ts'
import type { WebhookHealth } from '../health/webhook-health.ts'

export interface ParkedFeedOptions {
  readonly catalog: Catalog
  readonly deliveries: DeliveryQueue<Carried>
  readonly deletions: Pick<Deletions, 'isPurged'>
  readonly quarantine: Quarantine
  readonly activity: Pick<ActivityListener, 'recorded'>
  readonly health: WebhookHealth
  readonly clock: Clock
  readonly metrics: Metrics
  readonly logger: Logger
  readonly retryWindowMs: number
  readonly lane: (destinationId: string) => Lane
  readonly push: (task: DeliveryTask) => void
  /** Deliveries of a paused destination are held. */
  readonly onHeld: (destinationId: string) => void
  /** Aborts when the service stops. */
  readonly signal: AbortSignal
}

/** The longest wait, so that a clock that was set back does not stop the feed. */
const LONGEST_WAIT_MS = 60_000
const AFTER_FAILURE_MS = 1_000
const LANES_A_TURN = 4
/** The deliveries of a removed destination are due at once. */
const ANY_TIME = Number.MAX_SAFE_INTEGER

/**
 * Claims parked deliveries and puts them into their lanes: when a delivery is due, its lane has room and one of its
 * webhooks may be tried. It waits until the earliest time that it knows of. An earlier due time, a lane that ran low, a
 * breaker that closed and a change of the catalog wake it. Deliveries of a disabled destination wait until it is
 * enabled; those of a paused one become held, whenever they are due; those of a removed one go through its lane and are
 * rejected. A delivery that cannot be read is quarantined.
 */
export class ParkedFeed implements Worker {
  readonly name: string
  readonly #options: ParkedFeedOptions
  readonly #recurring: Recurring
  /** By destination: the failed probe after which it last looked for overdue deliveries. */
  readonly #checkedAfter = new Map<string, number>()

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

  /** Deliveries may be due now. */
  wake(): void {
    this.#recurring.wake()
  }

  /** A delivery was parked. The feed looks again when it is due. */
  parked(dueAt: number): void {
    this.#recurring.wakeBy(dueAt)
  }

  /** A lane has finished a task. Once half of its room is free, it gets more deliveries. */
  laneHasRoom(lane: Lane): void {
    if (lane.isBacklogged && lane.isLow) this.wake()
  }

  /** Fills the lanes that may make rounds. Returns after how long to look again. */
  async #feed(): Promise<number> {
    const { clock, deliveries } = this.#options
    let lookAt = clock.now() + LONGEST_WAIT_MS
    let fed = 0
    for (const [destinationId, dueAt] of await deliveries.nextDue()) {
      // A claim reads at once, so that many of them would keep everything else waiting.
      if (++fed % LANES_A_TURN === 0) await this.#options.clock.turn()
      lookAt = Math.min(lookAt, await this.#feedLaneOrLater(destinationId, dueAt))
    }
    return lookAt - clock.now()
  }

  /** A lane that fails does not stop the others. */
  async #feedLaneOrLater(destinationId: string, dueAt: number): Promise<number> {
    try {
      return await this.#feedLane(destinationId, dueAt)
    } catch (error) {
      const { clock, logger } = this.#options
      logger.warn({ err: error, destinationId }, 'parked.failed')
      return clock.now() + AFTER_FAILURE_MS
    }
  }

  /** Returns when to look at this lane again; `Infinity` when something else wakes the feed. */
  async #feedLane(destinationId: string, dueAt: number): Promise<number> {
    const { catalog, clock, health } = this.#options
    const destination = catalog.current.destinations.get(destinationId)
    if (destination === undefined) return this.#claim(destinationId, ANY_TIME)
    if (isPaused(destination)) return this.#hold(destinationId)
    if (!destination.enabled) return Infinity
    const readyAt = Math.max(dueAt, blockedUntil(destination, health))
    if (readyAt <= clock.now()) return this.#claim(destinationId, clock.now())
    await this.#expireOverdue(destination)
    return readyAt
  }

  async #claim(destinationId: string, now: number): Promise<number> {
    const { deliveries, lane, push } = this.#options
    const limit = Math.min(lane(destinationId).roomFor('parked'), this.#mostAtOnce(destinationId))
    const none = { deliveries: [], unreadable: [] }
    const claim = limit === 0 ? none : await deliveries.claim(destinationId, { now, limit })
    const { deliveries: claimed, unreadable } = claim
    // Looked up again: an empty lane is closed, and this one may have replaced it.
    lane(destinationId).isBacklogged = claimed.length === limit
    for (const { delivery, event } of claimed) {
      push({ delivery, event, origin: 'parked', onRecorded: () => undefined })
    }
    // There was room for more, so the rest is due later. Only the next look finds out when.
    const isMore = claimed.length > 0 || unreadable.length > 0
    if (isMore && claimed.length < limit) this.wake()
    await this.#quarantine(unreadable)
    return Infinity
  }

  async #hold(destinationId: string): Promise<number> {
    const { isMore, unreadable } = await holdPending(destinationId, this.#options)
    await this.#quarantine(unreadable)
    // One slice at a time, so that other lanes are fed in between.
    if (isMore) this.wake()
    this.#options.onHeld(destinationId)
    return Infinity
  }

  async #quarantine(unreadable: readonly Unreadable[]): Promise<void> {
    const at = this.#options.clock.now()
    await quarantineAll(
      unreadable.map((each) => ({ ...each, at })),
      this.#options,
    )
  }

  /** A broken destination gets one delivery to try, the oldest one. */
  #mostAtOnce(destinationId: string): number {
    const { catalog, health } = this.#options
    const destination = catalog.current.destinations.get(destinationId)
    return destination && brokenSince(destination, health) !== undefined ? 1 : Infinity
  }

  async #expireOverdue(destination: Destination): Promise<void> {
    const { id } = destination
    const failedAt = lastFailureAt(destination, this.#options.health)
    // A delivery becomes overdue only when a probe fails, so between probes there is nothing to look for.
    if (failedAt === undefined || this.#checkedAfter.get(id) === failedAt) return
    this.#checkedAfter.set(id, failedAt)
    const expired = await expireUnderOpenBreaker(destination, this.#options)
    if (expired > 0) this.#options.metrics.deliveriesEnded.inc({ state: 'expired' }, expired)
  }
}
