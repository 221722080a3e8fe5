import type { Clock } from '../../util/time/clock.ts'

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
