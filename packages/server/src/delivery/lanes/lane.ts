import type { Attempt, Carried, Delivery } from '@hookline/protocol'
import type { Contender } from './fair-ring.ts'
import { afterAttempt, BEGINNING, type Recovery } from './recovery.ts'

/** A delivery on its way, with what it carries. */
export interface DeliveryTask {
  readonly delivery: Delivery
  readonly event: Carried
  /** `fresh` from the log, or taken up again where it was `parked`. */
  readonly origin: 'fresh' | 'parked'
  /** Called once, when what became of the task is durable: an end, or parked for later. */
  readonly onRecorded: () => void
}

export interface LaneLimits {
  /** Deliveries held at most. */
  readonly window: number
  /** Rounds in flight at most. */
  readonly concurrency: number
  /** What a round costs: the attempts it makes. */
  readonly cost: () => number
  /** Whether the node has a slot left for rounds beyond the first. */
  readonly mayRetry: () => boolean
}

/**
 * The queue and the limits of one destination. It holds tasks and counts; the dispatcher acts.
 * A slow receiver fills its own lane and no other. A task's way:
 *
 *     add ─▶ waiting ─takeOff─▶ in flight ─landed─▶ unrecorded ─recorded─▶ gone
 *
 * Only what is in flight takes a slot; all three count against the window. Fresh and parked tasks take
 * turns, and while there is a backlog each has half of the window: so a long backlog is worked off
 * without making fresh events late.
 */
export class Lane implements Contender {
  readonly destinationId: string
  /** More is due than there was room for. */
  isBacklogged = false
  readonly #limits: LaneLimits
  readonly #waiting: Record<DeliveryTask['origin'], DeliveryTask[]> = { fresh: [], parked: [] }
  readonly #held: Record<DeliveryTask['origin'], number> = { fresh: 0, parked: 0 }
  #turn: DeliveryTask['origin'] = 'parked'
  #inFlight = 0
  #recovery: Recovery | undefined

  constructor(destinationId: string, limits: LaneLimits) {
    this.destinationId = destinationId
    this.#limits = limits
  }

  /** How many more tasks of this origin it takes. */
  roomFor(origin: DeliveryTask['origin']): number {
    const half = Math.max(1, Math.floor(this.#limits.window / 2))
    const share = origin === 'parked' || this.isBacklogged ? half : this.#limits.window
    return Math.max(0, Math.min(share - this.#held[origin], this.#limits.window - this.size))
  }

  /** Whether at least half of the room for parked tasks is free. */
  get isLow(): boolean {
    return this.roomFor('parked') * 4 >= this.#limits.window
  }

  get isEmpty(): boolean {
    return this.size === 0
  }

  get isRecovering(): boolean {
    return this.#recovery !== undefined
  }

  /** Deliveries in memory: waiting, in flight, unrecorded. */
  get size(): number {
    return this.#held.fresh + this.#held.parked
  }

  get nextCost(): number | undefined {
    const { concurrency, cost } = this.#limits
    if (this.#inFlight >= (this.#recovery?.limit ?? concurrency)) return undefined
    return this.#nextOrigin() && cost()
  }

  add(task: DeliveryTask): void {
    this.#waiting[task.origin].push(task)
    this.#held[task.origin]++
  }

  /** Takes the next task into flight; `nextCost` must not be undefined. `landed` and `recorded` must follow. */
  takeOff(): DeliveryTask {
    const origin = this.#nextOrigin()!
    this.#turn = origin === 'fresh' ? 'parked' : 'fresh'
    this.#inFlight++
    return this.#waiting[origin].shift()!
  }

  /** Its round is over: the slot is free. */
  landed(): void {
    this.#inFlight--
  }

  /** What became of it is durable, or the service is stopping. */
  recorded({ origin }: DeliveryTask): void {
    this.#held[origin]--
  }

  /** The breaker of a webhook has closed: begin with one round at a time. */
  beginRecovery(): void {
    this.#recovery = BEGINNING
  }

  /** An attempt has ended. */
  learn(attempt: Pick<Attempt, 'outcome'>): void {
    if (this.#recovery === undefined) return
    this.#recovery = afterAttempt(this.#recovery, attempt, this.#limits.concurrency)
  }

  /** Forgets what waits, and returns how much that was. What is in flight stays. */
  clear(): number {
    let cleared = 0
    for (const origin of ['fresh', 'parked'] as const) {
      cleared += this.#waiting[origin].length
      this.#held[origin] -= this.#waiting[origin].length
      this.#waiting[origin] = []
    }
    return cleared
  }

  #nextOrigin(): DeliveryTask['origin'] | undefined {
    const other: DeliveryTask['origin'] = this.#turn === 'fresh' ? 'parked' : 'fresh'
    const order = [this.#turn, other] as const
    return order.find((origin) => this.#mayStart(this.#waiting[origin][0]))
  }

  #mayStart(task: DeliveryTask | undefined): boolean {
    return task !== undefined && (task.delivery.rounds === 0 || this.#limits.mayRetry())
  }
}
