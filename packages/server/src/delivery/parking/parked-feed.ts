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
import { holdSlice } from './hold-slice.ts'
import type { DeliveryTask, Lane } from '../lanes/lane.ts'
import { isPaused } from '../health/paused.ts'
import { allFailedAt, brokenSince, restsUntil } from '../health/rest.ts'
import { setAside } from '../records/set-aside.ts'
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

/** After the backend failed, and as the longest wait at all: a clock that was set back must not stop the feed. */
const LONGEST_WAIT_MS = 60_000
const AFTER_FAILURE_MS = 1_000
/** What a removed destination has left is due, whatever it waited for. */
const ANY_TIME = Number.MAX_SAFE_INTEGER

/**
 * Claims parked deliveries and puts them into their lanes: when a delivery is due, its lane has room and one of its
 * webhooks may be tried. It waits until the earliest time it knows of. An earlier one, a lane that ran low, a breaker
 * that closed and a change of the catalog wake it. Deliveries of a disabled destination wait until it is enabled; those
 * of a paused one become held, whenever they are due; those of a removed one go through its lane and end there. A
 * delivery that cannot be read goes into quarantine.
 */
export class ParkedFeed implements Worker {
  readonly name: string
  readonly #options: ParkedFeedOptions
  readonly #feeding: Recurring
  /** By destination: the failed probe after which overdue deliveries were looked for last. */
  readonly #lookedAfter = new Map<string, number>()

  constructor(name: string, options: ParkedFeedOptions) {
    this.name = name
    this.#options = options
    this.#feeding = new Recurring({ clock: options.clock, work: () => this.#feed() })
  }

  async run(signal: AbortSignal): Promise<void> {
    const unsubscribe = this.#options.catalog.onChange(() => this.wake())
    try {
      await this.#feeding.run(signal)
    } finally {
      unsubscribe()
    }
  }

  /** Deliveries may be due now. */
  wake(): void {
    this.#feeding.wake()
  }

  /** A delivery was parked: it looks again when that one is due. */
  parked(dueAt: number): void {
    this.#feeding.wakeBy(dueAt)
  }

  /** A lane has finished a task. Once half of its room is free, it gets more of what is due. */
  laneHasRoom(lane: Lane): void {
    if (lane.isBacklogged && lane.isLow) this.wake()
  }

  /** Fills the lanes that may go on. Returns how long until it has to look again. */
  async #feed(): Promise<number> {
    const { clock, deliveries } = this.#options
    let lookAt = clock.now() + LONGEST_WAIT_MS
    for (const [destinationId, dueAt] of await deliveries.nextDue()) {
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

  /** Returns when to look at this lane again; `Infinity` where another wake-up comes. */
  async #feedLane(destinationId: string, dueAt: number): Promise<number> {
    const { catalog, clock, health } = this.#options
    const destination = catalog.current.destinations.get(destinationId)
    if (destination === undefined) return this.#claim(destinationId, ANY_TIME)
    if (isPaused(destination)) return this.#hold(destinationId)
    if (!destination.enabled) return Infinity
    const readyAt = Math.max(dueAt, restsUntil(destination, health))
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
    // Not the lane of before: an empty one is forgotten, and this may be its successor.
    lane(destinationId).isBacklogged = claimed.length === limit
    for (const { delivery, event } of claimed) {
      push({ delivery, event, origin: 'parked', onRecorded: () => undefined })
    }
    // Fewer than there was room for: what is left is due later, and only a fresh look tells when.
    const isMore = claimed.length > 0 || unreadable.length > 0
    if (isMore && claimed.length < limit) this.wake()
    await this.#setAside(unreadable)
    return Infinity
  }

  async #hold(destinationId: string): Promise<number> {
    const { isMore, unreadable } = await holdSlice(destinationId, this.#options)
    await this.#setAside(unreadable)
    // Slice by slice, so that other lanes are fed in between.
    if (isMore) this.wake()
    this.#options.onHeld(destinationId)
    return Infinity
  }

  async #setAside(unreadable: readonly Unreadable[]): Promise<void> {
    const at = this.#options.clock.now()
    await setAside(
      unreadable.map((each) => ({ ...each, at })),
      this.#options,
    )
  }

  /** A broken webhook gets one delivery to try, the oldest that waits. */
  #mostAtOnce(destinationId: string): number {
    const { catalog, health } = this.#options
    const destination = catalog.current.destinations.get(destinationId)
    return destination && brokenSince(destination, health) !== undefined ? 1 : Infinity
  }

  async #expireOverdue(destination: Destination): Promise<void> {
    const { id } = destination
    const failedAt = allFailedAt(destination, this.#options.health)
    // Only a probe that failed makes anything overdue, not what is parked in the meantime.
    if (failedAt === undefined || this.#lookedAfter.get(id) === failedAt) return
    this.#lookedAfter.set(id, failedAt)
    const expired = await expireUnderOpenBreaker(destination, this.#options)
    if (expired > 0) this.#options.metrics.deliveriesEnded.inc({ state: 'expired' }, expired)
  }
}
