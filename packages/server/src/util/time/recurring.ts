import type { Clock } from './clock.ts'
import { TimeSlices } from './time-slices.ts'

export interface RecurringOptions {
  readonly clock: Clock
  /** Does some of the work. Resolves to the time until the next run, in ms; `Infinity` waits for a wake-up. */
  readonly work: (signal: AbortSignal) => Promise<number>
}

/**
 * Runs work repeatedly, one run at a time:
 *
 *     working ─▶ waiting, until the time that the work returned or an earlier one (`wake`, `wakeBy`) ─▶ working …
 *
 * A wake-up during a run, or before `run` is called, is kept.
 */
export class Recurring {
  readonly #options: RecurringOptions
  #dueAt = Infinity
  #onEarlier = (): void => undefined

  constructor(options: RecurringOptions) {
    this.#options = options
  }

  /** Runs the work now. If it is already running, runs it once more afterwards. */
  wake(): void {
    this.wakeBy(-Infinity)
  }

  /** Runs the work at this time or earlier, in milliseconds since the epoch. */
  wakeBy(at: number): void {
    if (at >= this.#dueAt) return
    this.#dueAt = at
    this.#onEarlier()
  }

  /** Runs the work at once, then whenever it is due, until `signal` aborts. Rejects when the work does. */
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
