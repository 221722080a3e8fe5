import type { Clock } from '../../util/clock.ts'
import { DeadlinePassed } from './failures.ts'

export interface DeadlineOptions {
  readonly clock: Clock
  readonly afterMs: number
  /** Ends what the deadline guards before its time, with the signal's own reason. */
  readonly signal?: AbortSignal | undefined
}

/** Calls `onPass` once after `afterMs`. The returned function cancels it; calling that twice is safe. */
export function onDeadline(clock: Clock, afterMs: number, onPass: () => void): () => void {
  let isOver = false
  // An event loop that was held up runs its timers before it reads its sockets: an answer that is
  // already there is read before the time is called up.
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

/** One timer over several steps. Disposed, it never fires any more. */
export class Deadline implements Disposable {
  readonly #controller = new AbortController()
  readonly #cancelTimer: () => void
  readonly #outer: AbortSignal | undefined
  readonly #onOuterAbort = () => this.#controller.abort(this.#outer?.reason)

  constructor({ clock, afterMs, signal }: DeadlineOptions) {
    this.#cancelTimer = onDeadline(clock, afterMs, () =>
      this.#controller.abort(new DeadlinePassed(afterMs)),
    )
    this.#outer = signal
    if (signal?.aborted) this.#onOuterAbort()
    signal?.addEventListener('abort', this.#onOuterAbort, { once: true })
  }

  /** Aborts when the time has passed, with `DeadlinePassed`, or when the outer signal does. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** The work's result, or a rejection when the deadline passes first. The work itself goes on. */
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
