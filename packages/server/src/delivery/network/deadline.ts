import type { Clock } from '../../util/time/clock.ts'
import { DeadlinePassed } from './network-errors.ts'

export interface DeadlineOptions {
  readonly clock: Clock
  readonly afterMs: number
  /** Ends the deadline before its time, with the reason of the signal. */
  readonly signal?: AbortSignal | undefined
}

/** One deadline for several steps. After it is disposed of, it never passes. */
export class Deadline implements Disposable {
  readonly #clock: Clock
  readonly #controller = new AbortController()
  readonly #cancelTimer: () => void
  #isOver = false
  readonly #outer: AbortSignal | undefined
  readonly #onOuterAbort = () => this.#controller.abort(this.#outer?.reason)

  constructor({ clock, afterMs, signal }: DeadlineOptions) {
    this.#clock = clock
    this.#cancelTimer = clock.after(afterMs, () => {
      // A response that has already arrived is read first, as in `DeadlineQueue`.
      setImmediate(() => {
        if (!this.#isOver) this.#controller.abort(new DeadlinePassed(afterMs))
      })
    })
    this.#outer = signal
    if (signal?.aborted) this.#onOuterAbort()
    signal?.addEventListener('abort', this.#onOuterAbort, { once: true })
  }

  /** Aborts with `DeadlinePassed` when the deadline passes, or when the outer signal aborts. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Calls `task` once after `delayMs`, by the clock of the deadline. The returned function cancels it. */
  after(delayMs: number, task: () => void): () => void {
    return this.#clock.after(delayMs, task)
  }

  /** The result of the work, or a rejection when the deadline passes first. The work itself continues. */
  race<T>(work: Promise<T>): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>()
    const onAbort = () => reject(this.signal.reason)
    if (this.signal.aborted) onAbort()
    this.signal.addEventListener('abort', onAbort, { once: true })
    return Promise.race([work, promise]).finally(() => {
      this.signal.removeEventListener('abort', onAbort)
    })
  }

  [Symbol.dispose](): void {
    this.#isOver = true
    this.#cancelTimer()
    this.#outer?.removeEventListener('abort', this.#onOuterAbort)
  }
}

/** One deadline of a queue. */
export interface QueuedDeadline {
  readonly dueAt: number
  readonly onPass: () => void
}

/**
 * Deadlines that are equally far away when they begin, so that the first one to begin is the first one to pass: one timer
 * does for all of them. It is not set again while no deadline is left, and a deadline that is cancelled touches no timer.
 */
export class DeadlineQueue {
  readonly afterMs: number
  readonly #clock: Clock
  /** In the order of their times. */
  readonly #left = new Set<QueuedDeadline>()
  #isTimerSet = false

  constructor(clock: Clock, afterMs: number) {
    this.#clock = clock
    this.afterMs = afterMs
  }

  /** Calls `onPass` once, when `afterMs` have passed and not before. */
  begin(onPass: () => void): QueuedDeadline {
    const deadline = { dueAt: this.#clock.now() + this.afterMs, onPass }
    this.#left.add(deadline)
    if (!this.#isTimerSet) this.#setTimer(this.afterMs)
    return deadline
  }

  /** The deadline does not pass. Safe to call twice. */
  cancel(deadline: QueuedDeadline): void {
    this.#left.delete(deadline)
  }

  #setTimer(delayMs: number): void {
    this.#isTimerSet = true
    // An event loop that was blocked runs its timers before it reads its sockets. setImmediate lets it first read a
    // response that has already arrived.
    this.#clock.after(delayMs, () => setImmediate(() => this.#passAll()))
  }

  #passAll(): void {
    this.#isTimerSet = false
    const now = this.#clock.now()
    for (const deadline of this.#left) {
      if (deadline.dueAt > now) return this.#setTimer(deadline.dueAt - now)
      this.#left.delete(deadline)
      deadline.onPass()
    }
  }
}
