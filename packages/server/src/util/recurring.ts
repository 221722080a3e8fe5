import type { Clock } from './clock.ts'

export interface RecurringOptions {
  readonly clock: Clock
  /** Does some of the work; resolves to how long until more is to be done, in ms; Infinity: when woken. */
  readonly work: (signal: AbortSignal) => Promise<number>
  /** `work` rejected. It is tried again in a second. */
  readonly onFailure: (error: unknown) => void
}

const AFTER_FAILURE_MS = 1_000

/** Work that comes again: when it is woken, or at the time it named itself; never twice at once. */
export class Recurring implements AsyncDisposable {
  readonly #options: RecurringOptions
  readonly #stopping = new AbortController()
  #cancelTimer = (): void => undefined
  #working: Promise<void> | undefined
  #isWanted = false

  constructor(options: RecurringOptions) {
    this.#options = options
  }

  /** Does the work now; where it is being done, once more afterwards. */
  wake(): void {
    if (this.#stopping.signal.aborted) return
    this.#isWanted = true
    this.#working ??= this.#workWhileWanted()
  }

  /** What is being done ends; nothing follows. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort()
    this.#cancelTimer()
    await this.#working
  }

  async #workWhileWanted(): Promise<void> {
    const { signal } = this.#stopping
    while (this.#isWanted && !signal.aborted) {
      this.#isWanted = false
      this.#cancelTimer()
      const waitMs = await this.#work(signal)
      if (waitMs <= 0) this.#isWanted = true
      else if (Number.isFinite(waitMs) && !signal.aborted) {
        this.#cancelTimer = this.#options.clock.after(waitMs, () => this.wake())
      }
    }
    this.#working = undefined
  }

  async #work(signal: AbortSignal): Promise<number> {
    try {
      return await this.#options.work(signal)
    } catch (error) {
      this.#options.onFailure(error)
      return AFTER_FAILURE_MS
    }
  }
}
