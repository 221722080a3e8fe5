import type { Clock } from './clock.ts'
import { TimeSlices } from './time-slices.ts'

export interface RecurringOptions {
  readonly clock: Clock
  /** Resolves to the milliseconds until the next run; `Infinity` waits for a wake-up. */
  readonly work: (signal: AbortSignal) => Promise<number>
}

/** Runs work repeatedly, one run at a time: when it is due, or earlier after `wake` or `wakeBy`. Wake-ups are never lost. */
export class RecurringWork {
  readonly #options: RecurringOptions
  #dueAt = Infinity
  #onEarlier = (): void => undefined

  constructor(options: RecurringOptions) {
    this.#options = options
  }

  /** Runs the work now, or once more after the current run. */
  wake(): void {
    this.wakeBy(-Infinity)
  }

  /** Runs the work at `at` or earlier. */
  wakeBy(at: number): void {
    if (at >= this.#dueAt) return
    this.#dueAt = at
    this.#onEarlier()
  }

  /** Runs the work immediately, then whenever it is due, until `signal` aborts. Rejects when the work does. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options
    let slices = new TimeSlices(clock)
    while (!signal.aborted) {
      this.#dueAt = Infinity
      const waitMs = await this.#options.work(signal)
      this.wakeBy(clock.now() + waitMs)
      if (this.#dueAt <= clock.now()) {
        await slices.yieldIfOver()
        continue
      }
      await this.#untilDue(signal)
      slices = new TimeSlices(clock)
    }
  }

  async #untilDue(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options
    const { promise, resolve } = Promise.withResolvers<void>()
    let cancel = (): void => undefined
    this.#onEarlier = () => {
      cancel()
      const waitMs = this.#dueAt - clock.now()
      if (waitMs <= 0 || signal.aborted) resolve()
      else if (Number.isFinite(waitMs)) cancel = clock.after(waitMs, resolve)
    }
    signal.addEventListener('abort', this.#onEarlier, { once: true })
    this.#onEarlier()
    await promise
    cancel()
    signal.removeEventListener('abort', this.#onEarlier)
    this.#onEarlier = () => undefined
  }
}
