import type { Clock } from './clock.ts'

/** The most keys that have log lines of their own in one interval. */
const MOST_SHOWN = 20

/**
 * Chooses which keys of clients have log lines of their own: the first 20 of each interval. All others share one, so that a
 * client that changes its key with each request does not fill the log.
 */
export class ShownKeys {
  readonly #clock: Clock
  readonly #everyMs: number
  readonly #shown = new Set<string>()
  #since = -Infinity

  constructor(clock: Clock, everyMs: number) {
    this.#clock = clock
    this.#everyMs = everyMs
  }

  /** The key; `null` where it is one of the others. */
  shown(key: string): string | null {
    const now = this.#clock.now()
    if (now - this.#since >= this.#everyMs) {
      this.#since = now
      this.#shown.clear()
    }
    if (!this.#shown.has(key) && this.#shown.size === MOST_SHOWN) return null
    this.#shown.add(key)
    return key
  }
}
