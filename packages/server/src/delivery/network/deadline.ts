import type { Clock } from '../../util/time/clock.ts'
import { DeadlinePassed } from './network-errors.ts'

export interface DeadlineOptions {
  readonly clock: Clock
  readonly afterMs: number
  /** Ends the deadline before its time, with the reason of the signal. */
  readonly signal?: AbortSignal | undefined
}

/** Calls `onPass` once after `afterMs`. Returns a function that cancels it and is safe to call twice. */
function onDeadline(clock: Clock, afterMs: number, onPass: () => void): () => void {
  let isOver = false
  // An event loop that was blocked runs its timers before it reads its sockets. setImmediate lets it first read a
  // response that has already arrived.
  const pass = (): void => {
    setImmediate(() => {
      if (!isOver) onPass()
    })
  }
  const cancelTimer = clock.after(afterMs, pass)
  return () => {
    isOver = true
    cancelTimer()
  }
}

/** One deadline for several steps. After it is disposed of, it never passes. */
export class Deadline implements Disposable {
  readonly #clock: Clock
  readonly #controller = new AbortController()
  readonly #cancelTimer: () => void
  readonly #outer: AbortSignal | undefined
  readonly #onOuterAbort = () => this.#controller.abort(this.#outer?.reason)

  constructor({ clock, afterMs, signal }: DeadlineOptions) {
    this.#clock = clock
    this.#cancelTimer = onDeadline(clock, afterMs, () =>
      this.#controller.abort(new DeadlinePassed(afterMs)),
    )
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
    this.#cancelTimer()
    this.#outer?.removeEventListener('abort', this.#onOuterAbort)
  }
}
