import type { Carried, Destination } from '@hookline/protocol'
import type { Logger } from 'pino'
import type { Catalog } from '../../backend/catalog.ts'
import type { Deletions } from '../../backend/deletions.ts'
import type { DeliveryQueue } from '../../backend/deliveries.ts'
import type { Quarantine, Unreadable } from '../../backend/quarantine.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import type { Clock } from '../../util/clock.ts'
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
 * Takes parked deliveries up again: when one is due, its lane has room and one of its webhooks may be
 * tried. It sleeps until the earliest time it knows of, and is woken by an earlier one, by a lane that
 * ran low, by a breaker that closed and by a change of the catalog. Deliveries of a disabled
 * destination wait until it is enabled; those of a paused one are held, whenever they are due; those of
 * a removed one go through its lane and end there. What cannot be read is set aside.
 */
export class ParkedFeed implements AsyncDisposable {
  readonly #options: ParkedFeedOptions
  #unsubscribe = (): void => undefined
  #cancelTimer = (): void => undefined
  #wakeAt = Infinity
  /** By destination: the failed probe after which it was looked for what is overdue. */
  readonly #lookedAfter = new Map<string, number>()
  #feeding: Promise<void> | undefined
  #isWanted = false
  #isStopped = false

  constructor(options: ParkedFeedOptions) {
    this.#options = options
  }

  start(): void {
    this.#unsubscribe = this.#options.catalog.onChange(() => this.wake())
    this.wake()
  }

  /** Looks at once what is due. */
  wake(): void {
    if (this.#isStopped) return
    this.#isWanted = true
    this.#feeding ??= this.#feedWhileWanted()
  }

  /** A delivery was parked: look again when it is due. */
  parked(dueAt: number): void {
    if (this.#isStopped || dueAt >= this.#wakeAt) return
    this.#cancelTimer()
    this.#wakeAt = dueAt
    this.#cancelTimer = this.#options.clock.after(dueAt - this.#options.clock.now(), () => {
      this.#wakeAt = Infinity
      this.wake()
    })
  }

  /** A lane has worked off a task; once half of its room is free, more of what is due may follow. */
  laneHasRoom(lane: Lane): void {
    if (lane.isBacklogged && lane.isLow) this.wake()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true
    this.#unsubscribe()
    this.#cancelTimer()
    await this.#feeding
  }

  async #feedWhileWanted(): Promise<void> {
    while (this.#isWanted && !this.#isStopped) {
      this.#isWanted = false
      // What is parked while this feed looks may be due earlier than what it finds: the earlier one stays.
      this.#cancelTimer()
      this.#wakeAt = Infinity
      this.parked(await this.#feed())
    }
    this.#feeding = undefined
  }

  /** Fills the lanes that may go on. Returns when to look again. */
  async #feed(): Promise<number> {
    const { clock, deliveries } = this.#options
    const due = await this.#orSoon(() => deliveries.nextDue())
    let wakeAt = clock.now() + LONGEST_WAIT_MS
    if (typeof due === 'number') return due
    for (const [destinationId, dueAt] of due) {
      // One lane that fails stops no other.
      wakeAt = Math.min(wakeAt, await this.#orSoon(() => this.#feedLane(destinationId, dueAt)))
    }
    return wakeAt
  }

  /** What `work` resolves to; where it fails, when to look again. */
  async #orSoon<T>(work: () => Promise<T>): Promise<T | number> {
    try {
      return await work()
    } catch (error) {
      const { clock, logger } = this.#options
      logger.warn({ err: error }, 'parked.unreadable')
      return clock.now() + AFTER_FAILURE_MS
    }
  }

  /** Returns when to look at this lane again; Infinity where something else will say. */
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
    if (isMore && claimed.length < limit) this.#isWanted = true
    await this.#setAside(unreadable)
    return Infinity
  }

  async #hold(destinationId: string): Promise<number> {
    const { isMore, unreadable } = await holdSlice(destinationId, this.#options)
    await this.#setAside(unreadable)
    // Slice by slice, so that other lanes are fed in between.
    if (isMore) this.#isWanted = true
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
