import type { Clock } from '../clock.ts'

/**
 * Calls `flush` every `everyMs`, counted from the last flush. The interval also elapses while the queue is empty, but the
 * timer runs only while messages are waiting.
 */
export class FlushInterval {
  readonly #clock: Clock
  readonly #everyMs: number
  readonly #flush: () => void
  #lastFlushAt: number
  #cancel: (() => void) | undefined

  constructor(clock: Clock, everyMs: number, flush: () => void) {
    this.#clock = clock
    this.#everyMs = everyMs
    this.#flush = flush
    this.#lastFlushAt = clock.now()
  }

  /** Starts the timer, because a message is waiting. */
  arm(): void {
    if (this.#cancel !== undefined) return
    const elapsedMs = Math.max(0, this.#clock.now() - this.#lastFlushAt)
    this.#cancel = this.#clock.after(this.#everyMs - (elapsedMs % this.#everyMs), () => {
      this.#cancel = undefined
      this.#flush()
    })
  }

  /** Restarts the interval at the beginning of a flush. */
  restart(): void {
    this.stop()
    this.#lastFlushAt = this.#clock.now()
  }

  stop(): void {
    this.#cancel?.()
    this.#cancel = undefined
  }
}
