import type { Carried, Destination } from '@hookline/protocol'
import type { Logger } from 'pino'
import type { Catalog } from '../backend/catalog.ts'
import type { Deletions } from '../backend/deletions.ts'
import type { DeliveryQueue, RecordedDelivery } from '../backend/deliveries.ts'
import type { Quarantine } from '../backend/quarantine.ts'
import type { ActivityListener } from '../telemetry/activity-listener.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Clock } from '../util/clock.ts'
import type { Worker } from '../util/worker.ts'
import type { AttemptRounds, BreakerChange } from './rounds/attempt-round.ts'
import { FairRing } from './lanes/fair-ring.ts'
import { GoneWatch } from './health/gone-watch.ts'
import { HistoryBudget } from './records/history-budget.ts'
import { Holds, type HoldsOptions } from './parking/holds.ts'
import { type DeliveryTask, Lane } from './lanes/lane.ts'
import { Ledger, type TaskEnd } from './lanes/ledger.ts'
import { ParkedFeed } from './parking/parked-feed.ts'
import { held, isPaused } from './health/paused.ts'
import { restsUntil } from './health/rest.ts'
import { signalBreaker, signalRound } from './rounds/round-signals.ts'
import { Slots } from './lanes/slots.ts'
import { type RoundEnd, TaskEnds } from './records/task-ends.ts'
import type { WebhookHealth } from './health/webhook-health.ts'

export interface DispatcherOptions {
  /** What it delivers: names its workers. */
  readonly name: 'deliveries' | 'notices'
  readonly catalog: Catalog
  readonly deliveries: DeliveryQueue<Carried>
  readonly quarantine: Quarantine
  readonly upkeep: HoldsOptions['upkeep']
  /** Knows which tasks in memory are to be let go of. */
  readonly deletions: Pick<Deletions, 'isPurged'>
  readonly activity: Pick<ActivityListener, 'recorded'>
  readonly rounds: AttemptRounds
  readonly health: WebhookHealth
  readonly clock: Clock
  readonly metrics: Metrics
  readonly logger: Logger
  readonly retryWindowMs: number
  /** Whether the answer to every attempt is kept, however many there are. */
  readonly keepsEveryAnswer?: boolean
  /** Aborts when the service stops: no further round begins. */
  readonly signal: AbortSignal
  readonly limits: {
    /** Rounds in flight on this node. */
    readonly maxInFlight: number
    /** Rounds in flight of one lane; never more than a quarter of the node's. */
    readonly laneConcurrency: number
    /** Deliveries one lane holds in memory. */
    readonly laneWindow: number
  }
}

/** What a turn of a lane may spend: the attempts of the largest round. */
const QUANTUM = 5

/**
 * Brings deliveries to their receivers: a lane for each destination, slots shared fairly. One
 * delivery's way through it:
 *
 *     deliver() ─▶ lane ─▶ slot ─▶ attempt round ─▶ record ─▶ onRecorded
 *         │                 ▲                         └─ still pending: parked, due later ─┐
 *         └─ lane full, or  │                                                             │
 *            its webhooks   │                                                             │
 *            rest: parked   └────── ParkedFeed, when due, room, and a webhook ready ◀─────┘
 *
 * Happy path: from memory to the receiver and one write. What is parked is in the backend alone. While
 * the destination is paused, a delivery is recorded as held, wherever on this way it is; Holds makes it
 * pending again. A task whose round fails by a bug is set aside in quarantine.
 */
export class Dispatcher implements AsyncDisposable {
  readonly #options: DispatcherOptions
  readonly #feed: ParkedFeed
  readonly #lanes = new Map<string, Lane>()
  readonly #ring = new FairRing<Lane>(QUANTUM)
  readonly #slots: Slots
  readonly #ledger: Ledger
  readonly #history: HistoryBudget
  readonly #gone: GoneWatch
  readonly #holds: Holds
  readonly #ends: TaskEnds
  readonly #work = new Set<Promise<unknown>>()

  constructor(options: DispatcherOptions) {
    this.#options = options
    this.#ledger = new Ledger(options.clock)
    this.#slots = new Slots(options.limits.maxInFlight)
    this.#history = new HistoryBudget(options.clock, options.metrics.historyBodiesDropped)
    this.#gone = new GoneWatch(options)
    this.#holds = new Holds(`${options.name}.held`, { ...options, onUnheld: () => this.wake() })
    this.#ends = new TaskEnds({
      ...options,
      onParked: (destinationId, dueAt) => this.#onParked(destinationId, dueAt),
      onHeld: (destinationId) => this.#holds.recorded(destinationId),
      // Due already, and in nobody's hands: no other wake-up would come for it.
      onReleased: () => this.wake(),
    })
    this.#feed = new ParkedFeed(`${options.name}.parked`, {
      ...options,
      lane: (id) => this.#lane(id),
      push: (task) => {
        this.#ledger.take()
        this.#push(task)
      },
      onHeld: (id) => this.#holds.recorded(id),
    })
  }

  /** To be run beside it: one feeds parked deliveries to the lanes, one makes held deliveries pending again. */
  get workers(): readonly Worker[] {
    return [this.#feed, this.#holds]
  }

  /** Deliveries in the backend became due: they are claimed now. */
  wake(): void {
    this.#feed.wake()
  }

  /** Deliveries in memory. The backend has them as pending, or not at all. */
  get inMemory(): number {
    return [...this.#lanes.values()].reduce((sum, lane) => sum + lane.size, 0)
  }

  /** How long it has had deliveries in memory of which none ended. A round takes seconds, however bad its receiver. */
  get stillForMs(): number {
    return this.#ledger.stillForMs
  }

  /** Deliveries it took and neither has, nor recorded, nor gave back: 0 unless there is a bug. */
  get imbalance(): number {
    return this.#ledger.imbalance(this.inMemory)
  }

  /** Takes responsibility for a fresh task until `onRecorded`. Never waits for a receiver: what cannot go is parked. */
  deliver(task: Omit<DeliveryTask, 'origin'>): void {
    const fresh: DeliveryTask = { ...task, origin: 'fresh' }
    const lane = this.#lane(task.delivery.destinationId)
    const destination = this.#destination(lane.destinationId)
    this.#ledger.take()
    if (destination && isPaused(destination)) this.#track(this.#park(fresh, held(fresh.delivery)))
    else if (lane.roomFor('fresh') > 0 && !this.#rests(lane.destinationId)) this.#push(fresh)
    else this.#track(this.#park(fresh, fresh.delivery))
  }

  /**
   * Waits until the rounds in flight have ended and are recorded; `signal` must have aborted, and the workers have ended.
   * Tasks that were not begun come again from log and backend.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const lane of this.#lanes.values()) this.#ledger.end('released', lane.clear())
    await Promise.all(this.#work)
  }

  #push(task: DeliveryTask): void {
    const lane = this.#lane(task.delivery.destinationId)
    lane.add(task)
    this.#ring.add(lane)
    this.#fillSlots()
  }

  #lane(destinationId: string): Lane {
    let lane = this.#lanes.get(destinationId)
    if (lane === undefined) {
      const { maxInFlight, laneConcurrency, laneWindow } = this.#options.limits
      lane = new Lane(destinationId, {
        window: laneWindow,
        concurrency: Math.max(1, Math.min(laneConcurrency, Math.floor(maxInFlight / 4))),
        cost: () => this.#destination(destinationId)?.settings.webhooks.length ?? 1,
        mayRetry: () => this.#slots.mayRetry,
      })
      this.#lanes.set(destinationId, lane)
    }
    return lane
  }

  #fillSlots(): void {
    while (this.#slots.areFree && !this.#options.signal.aborted) {
      const lane = this.#ring.next()
      if (lane === undefined) return
      this.#track(this.#fly(lane, lane.takeOff()))
    }
  }

  /** A task that cannot go into its lane now: into the backend, as `delivery`. */
  async #park(task: DeliveryTask, delivery: DeliveryTask['delivery']): Promise<void> {
    this.#ledger.park()
    let end: TaskEnd | undefined
    try {
      end = await this.#ends.record(task, { delivery, attempts: [] })
    } finally {
      this.#ledger.parked(end)
    }
  }

  /** From slot to record. The slot is free as soon as the round is over: no receiver waits for our disk. */
  async #fly(lane: Lane, task: DeliveryTask): Promise<void> {
    let end: TaskEnd | undefined
    try {
      end = await this.#ends.end(task, await this.#roundInSlot(lane, task))
    } finally {
      lane.recorded(task)
      this.#ledger.end(end)
      this.#feed.laneHasRoom(lane)
      if (lane.isEmpty && !lane.isRecovering) this.#lanes.delete(lane.destinationId)
    }
  }

  async #roundInSlot(lane: Lane, task: DeliveryTask): Promise<RoundEnd> {
    const { inFlight } = this.#options.metrics
    this.#slots.take(task)
    inFlight.inc()
    try {
      return await this.#round(lane, task)
    } catch (error) {
      return { fault: error }
    } finally {
      this.#slots.give(task)
      inFlight.dec()
      lane.landed()
      this.#ring.add(lane)
      // A slot for a later round may be what another lane waits for.
      if (task.delivery.rounds > 0) for (const other of this.#lanes.values()) this.#ring.add(other)
      this.#fillSlots()
    }
  }

  async #round(lane: Lane, task: DeliveryTask): Promise<RecordedDelivery | 'untouched'> {
    const { rounds, clock, logger, metrics, signal } = this.#options
    const destination = this.#destination(task.delivery.destinationId)
    if (!destination) return { delivery: withoutDestination(task), attempts: [] }
    // Paused or turned off, or its breaker opened, while the task waited here.
    if (isPaused(destination)) return { delivery: held(task.delivery), attempts: [] }
    if (this.#options.deletions.isPurged(task.event)) return 'untouched'
    if (!destination.enabled || this.#rests(destination.id)) return 'untouched'
    const result = await rounds.make(task, destination)
    signalRound(result, task.event, { logger, metrics, now: clock.now() })
    for (const attempt of result.attempts) {
      lane.learn(attempt)
      const pausing = this.#gone.learn(destination.id, attempt, signal)
      if (pausing) this.#track(pausing)
    }
    for (const change of result.breakerChanges) this.#onBreaker(lane, change)
    if (this.#options.keepsEveryAnswer) return result
    return { ...result, attempts: this.#history.within(destination.id, result.attempts) }
  }

  #onBreaker(lane: Lane, change: BreakerChange): void {
    signalBreaker(lane.destinationId, change, this.#options)
    if (change.change === 'opened') return
    lane.beginRecovery()
    this.#feed.wake()
  }

  /** Paused or removed while its round was in flight, a destination has no retry to wait for. */
  #onParked(destinationId: string, dueAt: number): void {
    const destination = this.#destination(destinationId)
    if (destination === undefined || isPaused(destination)) this.#feed.wake()
    else this.#feed.parked(dueAt)
  }

  #destination(id: string): Destination | undefined {
    return this.#options.catalog.current.destinations.get(id)
  }

  #rests(destinationId: string): boolean {
    const destination = this.#destination(destinationId)
    if (destination === undefined) return false
    return restsUntil(destination, this.#options.health) > this.#options.clock.now()
  }

  #track(work: Promise<unknown>): void {
    this.#work.add(work)
    const done = (): void => void this.#work.delete(work)
    work.then(done, (error: unknown) => {
      done()
      // A bug, not a receiver: the task stays unrecorded and comes again after a restart.
      this.#options.logger.error({ err: error }, 'delivery.failed')
    })
  }
}

function withoutDestination({ delivery }: DeliveryTask): DeliveryTask['delivery'] {
  return { ...delivery, state: 'rejected', dueAt: null }
}
