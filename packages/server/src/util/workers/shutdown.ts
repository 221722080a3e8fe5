import type { Clock } from '../time/clock.ts'

/** The stop of the service: what it waits for may end by itself until `timeoutMs` have passed, and is aborted then. */
export class Shutdown {
  readonly #begun = new AbortController()
  readonly #overdue = new AbortController()
  readonly #clock: Clock
  readonly #timeoutMs: number

  constructor(options: { readonly clock: Clock; readonly timeoutMs: number }) {
    this.#clock = options.clock
    this.#timeoutMs = options.timeoutMs
  }

  /** Aborts when the stop begins. */
  get begun(): AbortSignal {
    return this.#begun.signal
  }

  /** Aborts when the stop has taken `timeoutMs`. */
  get overdue(): AbortSignal {
    return this.#overdue.signal
  }

  /** Begins the stop. The returned function ends it: it is not overdue any more. */
  begin(): () => void {
    this.#begun.abort()
    return this.#clock.after(this.#timeoutMs, () => this.#overdue.abort())
  }
}
