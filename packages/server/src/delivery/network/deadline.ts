import type { Clock } from '../../util/time/clock.ts'
import { type ShortLivedEntry, ShortLivedSet } from '../../util/short-lived.ts'
import { DeadlineExceededError } from './network-errors.ts'

export interface DeadlineOptions {
  readonly clock: Clock
  readonly afterMs: number
  readonly signal?: AbortSignal | undefined
}

/** One deadline for several steps. Disposing cancels it. */
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
        if (!this.#isOver) this.#controller.abort(new DeadlineExceededError(afterMs))
      })
    })
    this.#outer = signal
    if (signal?.aborted) this.#onOuterAbort()
    signal?.addEventListener('abort', this.#onOuterAbort, { once: true })
  }

  /** Aborts with `DeadlineExceededError`, or with the outer signal. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Calls `task` after `delayMs`, by the deadline's clock. Returns a function that cancels it. */
  after(delayMs: number, task: () => void): () => void {
    return this.#clock.after(delayMs, task)
  }

  /** Rejects when the deadline passes first. The work itself continues. */
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

interface Due {
  readonly at: number
  readonly onPass: () => void
}

export type QueuedDeadline = ShortLivedEntry<Due>

/** Deadlines of equal length: they pass in order, so one timer is enough. Cancelling touches no timer. */
export class DeadlineQueue {
  readonly afterMs: number
  readonly #clock: Clock
  readonly #left = new ShortLivedSet<Due>()
  #isTimerSet = false

  constructor(clock: Clock, afterMs: number) {
    this.#clock = clock
    this.afterMs = afterMs
  }

  /** Calls `onPass` once, `afterMs` from now or later. */
  begin(onPass: () => void): QueuedDeadline {
    if (!this.#isTimerSet) this.#setTimer(this.afterMs)
    return this.#left.add({ at: this.#clock.now() + this.afterMs, onPass })
  }

  cancel(deadline: QueuedDeadline): void {
    this.#left.delete(deadline)
  }

  #setTimer(delayMs: number): void {
    this.#isTimerSet = true
    // A blocked event loop runs its timers before it reads its sockets. With setImmediate, a
    // response that has arrived is read first.
    this.#clock.after(delayMs, () => setImmediate(() => this.#passAll()))
  }

  #passAll(): void {
    this.#isTimerSet = false
    const now = this.#clock.now()
    for (let next = this.#left.first; next !== undefined; next = this.#left.first) {
      const { at, onPass } = next.value!
      if (at > now) return this.#setTimer(at - now)
      this.#left.delete(next)
      onPass()
    }
  }
}
