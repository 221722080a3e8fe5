import type { Attempt, WebhookLimits } from '@hookline/protocol'
import type { LaneId } from '../../backend/deliveries.ts'
import type { PartTask } from './open-delivery.ts'

export interface LaneLimits {
  /** The maximum number of parts in memory; lower as more lanes share the node's memory. */
  readonly window: () => number
  /**
   * The maximum number of attempts in flight; lower as more nodes deliver. `own`: the limit of the
   * webhook.
   */
  readonly concurrency: (own: number | undefined) => number
}

const OTHER_ORIGIN = { fresh: 'parked', parked: 'fresh' } as const

/**
 * The queue of one webhook, with its limits. A slow receiver fills only its own lane. The states of a task:
 *
 *     add ─▶ waiting ─ begin ─▶ in flight ─ endAttempt ─▶ unrecorded ─ recorded ─▶ removed
 *
 * Only a task in flight takes a slot; all three states count against the window. Fresh and parked tasks alternate. Parked tasks
 * get at most half of the window, so that a backlog does not delay fresh events. While the lane is backlogged, fresh tasks also
 * get at most half.
 */
export class Lane {
  readonly id: LaneId
  /** The limits of the webhook; `undefined` if it has none, or while no attempts are made to it. */
  limits: WebhookLimits | undefined
  /** The time of its next attempt, reserved because of `limits.perSecond`. */
  reservedAt: number | undefined
  isBacklogged = false
  /** Whether the lane is in the scheduler's queue of turns. */
  hasTurn = false
  /** Last lookup or end of a task, in milliseconds since the epoch. */
  usedAt = 0
  readonly #limits: LaneLimits
  readonly #waiting: Record<PartTask['origin'], PartTask[]> = { fresh: [], parked: [] }
  readonly #inMemory: Record<PartTask['origin'], number> = { fresh: 0, parked: 0 }
  #turn: PartTask['origin'] = 'parked'
  #inFlight = 0
  /** The number of recoveries begun. A task that began before the latest recovery does not count towards it. */
  #recoveries = 0
  /** Attempts in flight that began since the latest recovery began. */
  #inFlightSinceRecovery = 0
  #recovery: RecoveryLimit | undefined

  constructor(id: LaneId, limits: LaneLimits) {
    this.id = id
    this.#limits = limits
  }

  roomFor(origin: PartTask['origin']): number {
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

  get inFlight(): number {
    return this.#inFlight
  }

  get mayBegin(): boolean {
    const { fresh, parked } = this.#waiting
    if (fresh.length + parked.length === 0) return false
    if (this.#inFlight >= this.#concurrency) return false
    return this.#recovery === undefined || this.#inFlightSinceRecovery < this.#recovery.limit
  }

  get #concurrency(): number {
    return this.#limits.concurrency(this.limits?.concurrency)
  }

  add(task: PartTask): void {
    this.#waiting[task.origin].push(task)
    this.#inMemory[task.origin]++
  }

  /**
   * Takes the first waiting task of the origin whose turn it is, or else of the other. Without `mayRetry`, skips an origin whose
   * first task is a retry. For a returned task, the caller must call `endAttempt` and then `recorded`.
   */
  begin(mayRetry: boolean): PartTask | undefined {
    const task = this.#next(this.#turn, mayRetry) ?? this.#next(OTHER_ORIGIN[this.#turn], mayRetry)
    if (task === undefined) return undefined
    task.recoveries = this.#recoveries
    this.reservedAt = undefined
    this.#inFlight++
    this.#inFlightSinceRecovery++
    return task
  }

  #next(origin: PartTask['origin'], mayRetry: boolean): PartTask | undefined {
    const waiting = this.#waiting[origin]
    if (waiting[0] === undefined || (waiting[0].isRetry && !mayRetry)) return undefined
    this.#turn = OTHER_ORIGIN[origin]
    return waiting.shift()
  }

  endAttempt(task: PartTask): void {
    this.#inFlight--
    if (task.recoveries === this.#recoveries) this.#inFlightSinceRecovery--
  }

  /** Frees the room of a task. Call it when its result is durable, or the service is stopping. */
  recorded({ origin }: PartTask): void {
    this.#inMemory[origin]--
  }

  /** Removes a waiting task. Returns false if it is not waiting. */
  remove(task: PartTask): boolean {
    const waiting = this.#waiting[task.origin]
    const index = waiting.indexOf(task)
    if (index === -1) return false
    waiting.splice(index, 1)
    this.#inMemory[task.origin]--
    return true
  }

  /** Limits the lane to one attempt at a time, then gradually more. Call it when the breaker closes. */
  beginRecovery(now: number): void {
    this.#recovery = initialRecovery(now)
    this.#recoveries++
    this.#inFlightSinceRecovery = 0
  }

  /** Adjusts the recovery limit. Call it before `endAttempt`, with the default outcome of the attempt's class. */
  onResult(
    task: PartTask,
    attempt: Pick<Attempt, 'outcome'> & { readonly begunAt: number },
    { now, isPaced }: { readonly now: number; readonly isPaced: boolean },
  ): void {
    if (this.#recovery === undefined || task.recoveries !== this.#recoveries) return
    this.#recovery = afterResult(this.#recovery, attempt, {
      now,
      concurrency: this.#concurrency,
      isBinding: !isPaced || this.#inFlightSinceRecovery >= this.#recovery.limit,
    })
  }

  /** Drops the waiting tasks and returns their number. Tasks in flight are kept. */
  clear(): number {
    let cleared = 0
    for (const origin of ['fresh', 'parked'] as const) {
      cleared += this.#waiting[origin].length
      this.#inMemory[origin] -= this.#waiting[origin].length
      this.#waiting[origin] = []
    }
    return cleared
  }
}

/**
 * The limit of attempts in flight while a receiver recovers, by AIMD (additive increase,
 * multiplicative decrease): 1 when the breaker closes, one more per 20 successes, halved by a
 * failure that is retried. The recovery ends at the lane's concurrency.
 *
 * For slow receivers, the limit also grows on a success a second or more after the last change.
 * Near the limit that failed last, growth is slower, because every attempt in flight may fail
 * there. Attempts from before the last fall do not count, nor do successes of a lane whose pace
 * keeps it below the limit.
 */
export interface RecoveryLimit {
  readonly limit: number
  readonly ceiling: number
  readonly successes: number
  readonly since: number
  readonly fellAt: number
}

interface RecoveringLane {
  readonly now: number
  readonly concurrency: number
  /** Whether the limit, and not a pace, holds the lane back. */
  readonly isBinding: boolean
}

const STEP = { successes: 20, ms: 1_000 }
const STEP_NEAR_CEILING = { successes: 1_000, ms: 20_000 }
const NEAR_CEILING = 0.85
/** A limit this far above the ceiling shows that the receiver accepts more than before. */
const ABOVE_CEILING = 2

export function initialRecovery(now: number): RecoveryLimit {
  return { limit: 1, ceiling: Infinity, successes: 0, since: now, fellAt: -Infinity }
}

/** The limit after an attempt; `undefined` when the recovery is over. */
export function afterResult(
  recovery: RecoveryLimit,
  { outcome, begunAt }: Pick<Attempt, 'outcome'> & { readonly begunAt: number },
  { now, concurrency, isBinding }: RecoveringLane,
): RecoveryLimit | undefined {
  const { ceiling, since, fellAt } = recovery
  if (begunAt < fellAt) return recovery
  // Every failure that is retried is a sign of overload: 429, 5xx, timeout, no connection.
  if (outcome === 'retry') {
    const limit = Math.max(1, Math.floor(recovery.limit / 2))
    return { limit, ceiling: recovery.limit, successes: 0, since: now, fellAt: now }
  }
  if (!isBinding) return recovery
  const isNear =
    recovery.limit >= ceiling * NEAR_CEILING && recovery.limit < ceiling + ABOVE_CEILING
  const step = isNear ? STEP_NEAR_CEILING : STEP
  const successes = recovery.successes + 1
  const isStep = successes >= step.successes || Math.abs(now - since) >= step.ms
  if (!isStep) return { ...recovery, successes }
  const limit = recovery.limit + 1
  return limit >= concurrency ? undefined : { ...recovery, limit, successes: 0, since: now }
}
