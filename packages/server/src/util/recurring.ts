import type { Clock } from './clock.ts'

export interface RecurringOptions {
  readonly clock: Clock
  /** Does some of the work. Resolves to how long until there is more, in ms; `Infinity`: when it is woken. */
  readonly work: (signal: AbortSignal) => Promise<number>
}

/**
 * Work that is done again and again, never twice at once:
 *
 *     working ─▶ waiting, until the time that the work named or an earlier one (`wake`, `wakeBy`) ─▶ working …
 *
 * A wake-up that comes while it works, or before it runs, is kept.
 */
export class Recurring {
  readonly #options: RecurringOptions
  #dueAt = Infinity
  #onEarlier = (): void => undefined

  constructor(options: RecurringOptions) {
    this.#options = options
  }

  /** Does the work now; where it is under way, once more afterwards. */
  wake(): void {
    this.wakeBy(-Infinity)
  }

  /** Does the work at this time, in milliseconds since the epoch, or earlier. */
  wakeBy(at: number): void {
    if (at >= this.#dueAt) return
    this.#dueAt = at
    this.#onEarlier()
  }

  /** Works at once, then whenever it is due, until `signal` aborts. Rejects when the work does. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#dueAt = Infinity
      const waitMs = await this.#options.work(signal)
      this.wakeBy(this.#options.clock.now() + waitMs)
      await this.#untilDue(signal)
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
