import type { Attempt, Carried, Delivery } from '@hookline/protocol'
import type { Queue } from './deficit-round-robin.ts'
import { afterAttempt, INITIAL_RECOVERY, type RecoveryLimit } from './recovery-limit.ts'

/** A delivery in memory, with the event or notice that it carries. */
export interface DeliveryTask {
  readonly delivery: Delivery
  readonly event: Carried
  /** `fresh` from the log, or claimed from the backend where it was `parked`. */
  readonly origin: 'fresh' | 'parked'
  /** Called once, when the outcome is durable: the delivery has ended, or is parked for later. */
  readonly onRecorded: () => void
}

export interface LaneLimits {
  /** Deliveries in memory at most; fewer as more lanes share the memory of the node. */
  readonly window: () => number
  /** Rounds in flight at most. */
  readonly concurrency: number
  /** What a round costs: the number of its attempts. */
  readonly cost: () => number
  /** Whether the node has a slot left for rounds beyond the first. */
  readonly mayRetry: () => boolean
}

/**
 * The queue of one destination, with its limits. It stores and counts tasks; the dispatcher acts on them. A slow
 * receiver fills its own lane only. The states of a task:
 *
 *     add ─▶ waiting ─ beginRound ─▶ in flight ─ endRound ─▶ unrecorded ─ recorded ─▶ removed
 *
 * Only a task in flight takes a slot. All three states count against the window. Fresh and parked tasks take turns.
 * While the lane is backlogged, each origin has half of the window, so a long backlog is worked off without delaying
 * fresh events.
 */
export class Lane implements Queue {
  readonly destinationId: string
  /** More deliveries are due than there was room for. */
  isBacklogged = false
  readonly #limits: LaneLimits
  readonly #waiting: Record<DeliveryTask['origin'], DeliveryTask[]> = { fresh: [], parked: [] }
  readonly #inMemory: Record<DeliveryTask['origin'], number> = { fresh: 0, parked: 0 }
  #turn: DeliveryTask['origin'] = 'parked'
  #inFlight = 0
  #recovery: RecoveryLimit | undefined

  constructor(destinationId: string, limits: LaneLimits) {
    this.destinationId = destinationId
    this.#limits = limits
  }

  /** How many more tasks of this origin it takes. */
  roomFor(origin: DeliveryTask['origin']): number {
    const window = this.#limits.window()
    const half = Math.max(1, Math.floor(window / 2))
    const share = origin === 'parked' || this.isBacklogged ? half : window
    return Math.max(0, Math.min(share - this.#inMemory[origin], window - this.size))
  }

  /** Whether at least half of the room for parked tasks is free. */
  get isLow(): boolean {
    return this.roomFor('parked') * 4 >= this.#limits.window()
  }

  get isEmpty(): boolean {
    return this.size === 0
  }

  get isRecovering(): boolean {
    return this.#recovery !== undefined
  }

  /** Tasks in memory: waiting, in flight and unrecorded. */
  get size(): number {
    return this.#inMemory.fresh + this.#inMemory.parked
  }

  get nextCost(): number | undefined {
    const { concurrency, cost } = this.#limits
    if (this.#inFlight >= (this.#recovery?.limit ?? concurrency)) return undefined
    return this.#nextOrigin() && cost()
  }

  add(task: DeliveryTask): void {
    this.#waiting[task.origin].push(task)
    this.#inMemory[task.origin]++
  }

  /** Takes the next task in flight; `nextCost` must not be undefined. Call `endRound`, then `recorded`, for it. */
  beginRound(): DeliveryTask {
    const origin = this.#nextOrigin()!
    this.#turn = origin === 'fresh' ? 'parked' : 'fresh'
    this.#inFlight++
    return this.#waiting[origin].shift()!
  }

  /** The round of a task is over, so another may begin. */
  endRound(): void {
    this.#inFlight--
  }

  /** The outcome of a task is durable, or the service is stopping. */
  recorded({ origin }: DeliveryTask): void {
    this.#inMemory[origin]--
  }

  /** The breaker of a webhook has closed: from now on the lane makes one round at a time, then more. */
  beginRecovery(): void {
    this.#recovery = INITIAL_RECOVERY
  }

  /** An attempt has ended. */
  onResult(attempt: Pick<Attempt, 'outcome'>): void {
    if (this.#recovery === undefined) return
    this.#recovery = afterAttempt(this.#recovery, attempt, this.#limits.concurrency)
  }

  /** Drops the waiting tasks and returns their number. Tasks in flight stay. */
  clear(): number {
    let cleared = 0
    for (const origin of ['fresh', 'parked'] as const) {
      cleared += this.#waiting[origin].length
      this.#inMemory[origin] -= this.#waiting[origin].length
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
