import type { Delivery, DeliveryContent, Destination, WebhookLimits } from '@hookline/protocol'
import type { DeliveryContext } from './delivery-context.ts'
import type { LaneId } from '../backend/deliveries.ts'
import { ShortLivedSet } from '../util/short-lived.ts'
import type { Worker } from '../util/workers/worker.ts'
import type { WebhookHealth } from './health/webhook-health.ts'
import type { WebhookLog } from './health/webhook-log.ts'
import type { Lane } from './lanes/lane.ts'
import {
  type LaneDivision,
  LaneScheduler,
  type LaneSchedulerOptions,
} from './lanes/lane-scheduler.ts'
import {
  isInLane,
  joinLane,
  leaveLane,
  OpenDeliveries,
  type OpenDelivery,
  type PartTask,
  TaskAccounting,
} from './lanes/open-delivery.ts'
import { FreshParking } from './parking/fresh-parking.ts'
import { ParkedChanges } from './parking/parked-changes.ts'
import { ParkedFeed } from './parking/parked-feed.ts'
import type { Attempts } from './parts/attempts.ts'
import { PartRunner } from './parts/part-runner.ts'
import { isPaused, newParts, partOf, pendingParts, type RetrySchedule } from './parts/parts.ts'
import { DeliveryRecorder } from './records/delivery-recorder.ts'

export interface DispatcherOptions extends DeliveryContext {
  readonly name: 'deliveries' | 'notices'
  readonly attempts: Attempts
  readonly health: WebhookHealth
  readonly owns?: ((destinationId: string) => boolean) | undefined
  readonly webhookLog: Pick<WebhookLog, 'onAttempt'>
  readonly schedule: RetrySchedule
  readonly limits: LaneSchedulerOptions['limits']
}

/** A delivery from the log. `onRecorded` is called once it is durable and the log no longer needs it. */
export interface FreshDelivery {
  readonly delivery: Delivery
  readonly event: DeliveryContent
  readonly onRecorded: () => void
}

type TaskResult = 'changed' | 'not begun' | { readonly fault: unknown }

/**
 * Delivers to receivers, through one lane per webhook. The lanes share the slots fairly. A delivery has a part for
 * each webhook, and each part progresses independently:
 *
 *     deliver() ─▶ lane ─▶ slot ─▶ attempt ─▶ record
 *         │         ▲ │                         │
 *         │         │ └─ 2 s without a slot ──┐ │
 *         │         └────── ParkedFeed ◀──────┴─┤ another attempt is due: parked until then
 *         │                     ▲               │
 *         └─ no room in the ────┘               │
 *            lane, or blocked: parked           └─ paused: held until it is resumed
 *
 * Usually a delivery goes from memory to the receiver and is written once. Its first record replaces the log's copy,
 * and claims its parts in lanes. A bug during an attempt rejects the part, and a bug elsewhere in a part's turn
 * quarantines the delivery. If a bug prevents the record, the delivery stays unrecorded until a restart.
 */
export class Dispatcher implements AsyncDisposable {
  readonly #options: DispatcherOptions
  readonly #accounting: TaskAccounting
  readonly #scheduler: LaneScheduler
  readonly #runner: PartRunner
  readonly #recorder: DeliveryRecorder
  readonly #feed: ParkedFeed
  readonly #parking: FreshParking
  readonly #open = new OpenDeliveries()
  #accepted = 0
  readonly #stopFollowing: () => void
  /** Disposal waits for these: attempts in flight, records of parked deliveries, and pauses being stored. */
  readonly #pending = new ShortLivedSet<Promise<unknown>>()

  constructor(options: DispatcherOptions) {
    this.#options = options
    const open = this.#open
    const wake = (): void => this.wake()
    this.#accounting = new TaskAccounting(options.clock)
    this.#scheduler = new LaneScheduler({
      ...options,
      nextAttemptAt: ({ destinationId, url }) => options.health.nextAttemptAt(destinationId, url),
      limitsOf: (id) => this.#limitsOf(id),
      spacing: options.health.spacing,
      isBlocked: ({ destinationId, url }) =>
        options.health.blockedUntil(destinationId, url) > options.clock.now(),
      onSlot: (lane, task) => this.#track(this.#runTask(lane, task)),
    })
    this.#stopFollowing = options.catalog.onChange(() => this.#scheduler.limitsChanged())
    this.#runner = new PartRunner({
      ...options,
      onRecovery: wake,
      onPausing: (pausing) => this.#track(pausing),
    })
    this.#recorder = new DeliveryRecorder({
      ...options,
      open,
      onParked: (delivery) => this.#onParked(delivery),
      // The released part is due and unclaimed, and nothing else wakes the feed for it.
      onReleased: wake,
    })
    const changes = new ParkedChanges({ ...options, open, recorder: this.#recorder })
    this.#feed = new ParkedFeed(`${options.name}.parked`, {
      ...options,
      changes,
      lane: (id) => this.#scheduler.lane(id),
      push: (lane, delivery) => this.#push(lane, delivery, 'parked'),
    })
    this.#parking = new FreshParking(`${options.name}.fresh`, {
      ...options,
      open,
      recorder: this.#recorder,
      lane: (id) => this.#scheduler.lane(id),
      onRemovedFromLane: () => this.#accounting.end(),
      onRecording: (recording) => this.#track(recording),
    })
  }

  get workers(): readonly Worker[] {
    return [this.#feed, this.#parking]
  }

  wake(): void {
    this.#feed.wake()
  }

  /** Retries the lane manually. `recovers`: its breaker was closed manually. */
  retryNow(id: LaneId, { recovers = false } = {}): void {
    if (recovers) this.#scheduler.lane(id).beginRecovery(this.#options.clock.now())
    this.#feed.makeDue(id)
  }

  recover(id: LaneId): void {
    this.#scheduler.lane(id).beginRecovery(this.#options.clock.now())
    this.wake()
  }

  divide(division: LaneDivision): void {
    this.#scheduler.divide(division)
  }

  attemptsOf(deliveryId: string): ReadonlyMap<string, number> {
    return this.#open.attemptsOf(deliveryId)
  }

  /**
   * Resolves when more deliveries can be accepted. May wait for the disk, but never for a receiver.
   */
  ready(): Promise<void> {
    return this.#parking.ready()
  }

  get inMemory(): number {
    return this.#scheduler.inMemory
  }

  get unrecorded(): number {
    return this.#open.freshCount
  }

  /** Time since a part in memory last finished. */
  get stalledMs(): number {
    return this.#accounting.stalledMs
  }

  inFlightAt(id: LaneId): number {
    return this.#scheduler.inFlightAt(id)
  }

  get accepted(): number {
    return this.#accepted
  }

  /** Lost parts and lost fresh deliveries: 0 unless there is a bug. */
  get imbalance(): number {
    const unrecorded = this.#accepted - this.#open.settledCount - this.#open.freshCount
    return Math.abs(this.#accounting.imbalance(this.inMemory)) + Math.abs(unrecorded)
  }

  /** Accepts a fresh delivery without waiting for a receiver: a part whose lane is full is parked. */
  deliver({ delivery, event, onRecorded }: FreshDelivery): void {
    this.#accepted++
    const now = this.#options.clock.now()
    const destination = this.#destination(delivery.destinationId)
    const split = newParts(delivery, destination, now)
    const open = this.#open.add(split, event, { at: now, onRecorded })
    const lanes = pendingParts(split)
      .map(({ url }) => this.#scheduler.lane({ destinationId: delivery.destinationId, url }))
      .filter((lane) => this.#hasRoom(lane, destination))
    for (const lane of lanes) this.#push(lane, open, 'fresh')
    if (lanes.length < split.webhooks.length || lanes.length === 0) this.#parking.park(open)
    this.#parking.added(now)
  }

  /** Waits until attempts in flight are recorded. Call it after `signal` has aborted and the workers have stopped. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopFollowing()
    this.#accounting.end(this.#scheduler.clear())
    await Promise.all(this.#pending.values())
    this.#open.clear()
  }

  #hasRoom(lane: Lane, destination: Destination | undefined): boolean {
    const { clock, health } = this.#options
    const { destinationId, url } = lane.id
    const isFree = health.blockedUntil(destinationId, url) <= clock.now()
    return destination?.enabled === true && isFree && lane.roomFor('fresh') > 0
  }

  /** Returns false when the part is already in its lane: a claim may return a part that a record has just released. */
  #push(lane: Lane, open: OpenDelivery, origin: PartTask['origin']): boolean {
    const { url } = lane.id
    if (isInLane(open, url)) return false
    const isRetry = partOf(open.delivery, url)?.lastAttempt !== undefined
    const task: PartTask = { open, url, origin, isRetry }
    joinLane(task)
    this.#options.attempts.prepare(open, this.#destination(lane.id.destinationId))
    this.#accounting.take()
    this.#scheduler.add(lane, task)
    return true
  }

  async #runTask(lane: Lane, task: PartTask): Promise<void> {
    const { open, url } = task
    task.startedAt = this.#options.clock.wall()
    try {
      let result: TaskResult
      try {
        result = await this.#runner.run(lane, task)
      } catch (fault) {
        result = { fault }
      }
      // Before recording, so that the next attempt need not wait for the disk.
      this.#scheduler.endAttempt(lane, task)
      // In the same tick as the record: a claim in between would reopen the delivery without the attempt.
      leaveLane(task)
      if (result === 'changed') await this.#recorder.record(open)
      else if (result === 'not begun') await this.#recorder.release(open, url)
      else await this.#recorder.quarantine(open, result.fault)
      this.#accounting.end()
    } finally {
      lane.recorded(task)
      this.#feed.laneHasRoom(lane)
      this.#scheduler.closeIfIdle(lane)
    }
  }

  /** Reports recorded parts outside of lanes to the feed. Wakes it immediately if their destination has changed since. */
  #onParked({ destinationId, webhooks }: Delivery): void {
    const destination = this.#destination(destinationId)
    for (const { url, state, dueAt } of webhooks) {
      const webhook = destination?.settings.webhooks.find((each) => each.url === url)
      const isStopped = !destination || !webhook || isPaused(destination, webhook)
      if (state === 'held' ? !isStopped : isStopped && dueAt !== null) this.#feed.wake()
      else if (dueAt !== null) this.#feed.parked(dueAt)
    }
  }

  /**
   * `undefined` if the webhook is paused, disabled or removed: its parts get no attempt, so they
   * need not wait.
   */
  #limitsOf({ destinationId, url }: LaneId): WebhookLimits | undefined {
    const destination = this.#destination(destinationId)
    const webhook = destination?.settings.webhooks.find((each) => each.url === url)
    if (destination?.enabled !== true || webhook === undefined) return undefined
    return isPaused(destination, webhook) ? undefined : webhook.limits
  }

  #destination(id: string): Destination | undefined {
    return this.#options.catalog.current.destinations.get(id)
  }

  #track(work: Promise<unknown>): void {
    const entry = this.#pending.add(work)
    const done = (): void => void this.#pending.delete(entry)
    work.then(done, (error: unknown) => {
      done()
      // A bug, not a failure of the receiver. The delivery is left unrecorded, and is redelivered after a restart.
      this.#options.logger.error({ err: error }, 'delivery.failed')
    })
  }
}
