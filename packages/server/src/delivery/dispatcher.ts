import type { Carried, Destination } from '@hookline/protocol'
import type { Logger } from 'pino'
import type { Catalog } from '../backend/catalog.ts'
import type { Deletions } from '../backend/deletions.ts'
import type { DeliveryQueue } from '../backend/deliveries.ts'
import type { Quarantine } from '../backend/quarantine.ts'
import type { ActivityListener } from '../telemetry/activity-listener.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Clock } from '../util/clock.ts'
import type { Worker } from '../util/worker.ts'
import { blockedUntil, isPaused } from './health/destination-health.ts'
import type { WebhookHealth } from './health/webhook-health.ts'
import type { DeliveryTask, Lane } from './lanes/lane.ts'
import { LaneScheduler, type LaneSchedulerOptions } from './lanes/lane-scheduler.ts'
import { TaskAccounting, type TaskEnd } from './lanes/task-accounting.ts'
import { ParkedFeed } from './parking/parked-feed.ts'
import { ResumeWorker, type ResumeWorkerOptions } from './parking/resume-worker.ts'
import { TaskRecorder, type TaskResult } from './records/task-recorder.ts'
import type { AttemptRounds } from './rounds/attempt-round.ts'
import { asHeld } from './rounds/round.ts'
import { RoundRunner } from './rounds/round-runner.ts'

export interface DispatcherOptions {
  /** What it delivers. The names of its workers begin with it. */
  readonly name: 'deliveries' | 'notices'
  readonly catalog: Catalog
  readonly deliveries: DeliveryQueue<Carried>
  readonly quarantine: Quarantine
  readonly upkeep: ResumeWorkerOptions['upkeep']
  /** Knows which tasks in memory belong to a user who was deleted. */
  readonly deletions: Pick<Deletions, 'isPurged'>
  readonly activity: Pick<ActivityListener, 'recorded'>
  readonly rounds: AttemptRounds
  readonly health: WebhookHealth
  readonly clock: Clock
  readonly metrics: Metrics
  readonly logger: Logger
  readonly retryWindowMs: number
  /** Keeps the response to every failed attempt, without the limit of 100 an hour. */
  readonly keepsEveryResponse?: boolean
  /** Aborts when the service stops: no further round begins. */
  readonly signal: AbortSignal
  readonly limits: LaneSchedulerOptions['limits']
}

/** The most fresh tasks that are being parked at one time. With more, the pipeline waits. */
const MOST_PARKING = 1_000

/**
 * Brings deliveries to their receivers, through one lane for each destination. The lanes share the slots fairly. The
 * steps of one delivery:
 *
 *     deliver() ─▶ lane ─▶ slot ─▶ attempt round ─▶ record ─▶ onRecorded
 *         │         ▲                                 │
 *         │         └───────── ParkedFeed ◀───────────┤ still pending: parked until it is due
 *         │                         ▲                 │
 *         └─ no room in the lane, ──┘                 │
 *            or webhooks blocked: parked              └─ destination paused: held until it is resumed
 *
 * In the usual case a delivery goes from memory to the receiver and is written once. Parked and held deliveries are in
 * the backend only. The feed takes up a parked delivery when it is due, its lane has room and a webhook may be tried.
 * The resume worker makes held deliveries pending again. A task whose round fails because of a bug is quarantined.
 */
export class Dispatcher implements AsyncDisposable {
  readonly #options: DispatcherOptions
  readonly #accounting: TaskAccounting
  readonly #scheduler: LaneScheduler
  readonly #rounds: RoundRunner
  readonly #recorder: TaskRecorder
  readonly #resumer: ResumeWorker
  readonly #feed: ParkedFeed
  /** Fresh tasks that are being parked. */
  #parking = 0
  #fewerParking: PromiseWithResolvers<void> | undefined
  /** What must end before the dispatcher is disposed of: rounds in flight, and records of parked tasks. */
  readonly #pending = new Set<Promise<unknown>>()

  constructor(options: DispatcherOptions) {
    this.#options = options
    const wake = (): void => this.wake()
    this.#accounting = new TaskAccounting(options.clock)
    this.#scheduler = new LaneScheduler({
      ...options,
      onSlot: (lane, task) => this.#track(this.#runTask(lane, task)),
    })
    this.#rounds = new RoundRunner({
      ...options,
      onRecovery: wake,
      onPausing: (pausing) => this.#track(pausing),
    })
    this.#resumer = new ResumeWorker(`${options.name}.held`, { ...options, onResumed: wake })
    const onHeld = (destinationId: string): void => this.#resumer.onHeld(destinationId)
    this.#recorder = new TaskRecorder({
      ...options,
      onParked: (destinationId, dueAt) => this.#onParked(destinationId, dueAt),
      onHeld,
      // It is due and unclaimed, and nothing else wakes the feed for it.
      onReleased: wake,
    })
    this.#feed = new ParkedFeed(`${options.name}.parked`, {
      ...options,
      lane: (id) => this.#scheduler.lane(id),
      push: (task) => {
        this.#accounting.take()
        this.#scheduler.add(task)
      },
      onHeld,
    })
  }

  /** The workers to run with it: one feeds parked deliveries to the lanes, one makes held deliveries pending again. */
  get workers(): readonly Worker[] {
    return [this.#feed, this.#resumer]
  }

  /** Deliveries in the backend became due: the feed claims them now. */
  wake(): void {
    this.#feed.wake()
  }

  /**
   * Resolves when it takes more tasks: at once, unless MOST_PARKING tasks are being parked. So the pipeline waits for the
   * disk where it must, and never for a receiver.
   */
  async ready(): Promise<void> {
    if (this.#parking < MOST_PARKING) return
    this.#fewerParking ??= Promise.withResolvers()
    await this.#fewerParking.promise
  }

  /** Deliveries in memory. In the backend they are pending, or not recorded yet. */
  get inMemory(): number {
    return this.#scheduler.inMemory
  }

  /**
   * How long there have been deliveries in memory and none of them ended. A round takes seconds, however slow its
   * receiver.
   */
  get stillForMs(): number {
    return this.#accounting.stillForMs
  }

  /** Deliveries taken that are not in memory, recorded or released: 0 unless there is a bug. */
  get imbalance(): number {
    return this.#accounting.imbalance(this.inMemory)
  }

  /**
   * Takes a fresh task, and calls its `onRecorded` later. Never waits for a receiver: a task without room is parked.
   */
  deliver(task: Omit<DeliveryTask, 'origin'>): void {
    const fresh: DeliveryTask = { ...task, origin: 'fresh' }
    const { destinationId } = fresh.delivery
    const destination = this.#destination(destinationId)
    this.#accounting.take()
    if (destination && isPaused(destination)) {
      this.#track(this.#park(fresh, asHeld(fresh.delivery)))
    } else if (
      this.#scheduler.lane(destinationId).roomFor('fresh') > 0 &&
      !this.#isBlocked(destination)
    ) {
      this.#scheduler.add(fresh)
    } else {
      this.#track(this.#park(fresh, fresh.delivery))
    }
  }

  /**
   * Waits until the rounds in flight have ended and are recorded. Call it after `signal` has aborted and the workers
   * have ended. Tasks whose round has not begun come again from the log and the backend.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#accounting.end('released', this.#scheduler.clear())
    await Promise.all(this.#pending)
  }

  /** Records a task, as `delivery`, that goes into no lane now. */
  async #park(task: DeliveryTask, delivery: DeliveryTask['delivery']): Promise<void> {
    this.#accounting.beginParking()
    this.#parking++
    let end: TaskEnd | undefined
    try {
      end = await this.#recorder.record(task, { delivery, attempts: [] })
    } finally {
      this.#accounting.endParking(end)
      if (--this.#parking <= MOST_PARKING / 2) this.#endWait()
    }
  }

  #endWait(): void {
    this.#fewerParking?.resolve()
    this.#fewerParking = undefined
  }

  /** Runs a task that has a slot, and records its result. */
  async #runTask(lane: Lane, task: DeliveryTask): Promise<void> {
    let end: TaskEnd | undefined
    try {
      end = await this.#recorder.end(task, await this.#runRound(lane, task))
    } finally {
      lane.recorded(task)
      this.#accounting.end(end)
      this.#feed.laneHasRoom(lane)
      this.#scheduler.closeIfIdle(lane)
    }
  }

  /** The slot is free as soon as the round is over, before its result is recorded. */
  async #runRound(lane: Lane, task: DeliveryTask): Promise<TaskResult> {
    try {
      return await this.#rounds.run(lane, task)
    } catch (error) {
      return { fault: error }
    } finally {
      this.#scheduler.endRound(lane, task)
    }
  }

  /** When the destination was paused or removed during the round, the delivery does not wait for its retry. */
  #onParked(destinationId: string, dueAt: number): void {
    const destination = this.#destination(destinationId)
    if (destination === undefined || isPaused(destination)) this.#feed.wake()
    else this.#feed.parked(dueAt)
  }

  #destination(id: string): Destination | undefined {
    return this.#options.catalog.current.destinations.get(id)
  }

  #isBlocked(destination: Destination | undefined): boolean {
    if (destination === undefined) return false
    return blockedUntil(destination, this.#options.health) > this.#options.clock.now()
  }

  #track(work: Promise<unknown>): void {
    this.#pending.add(work)
    const done = (): void => void this.#pending.delete(work)
    work.then(done, (error: unknown) => {
      done()
      // A bug, not a failure of the receiver. The task stays unrecorded and comes again after a restart.
      this.#options.logger.error({ err: error }, 'delivery.failed')
    })
  }
}
