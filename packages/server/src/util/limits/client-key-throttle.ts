import type { Clock } from '../time/clock.ts'
import { LogThrottle } from './log-throttle.ts'

/** The most keys that have log lines of their own in one interval. */
const MOST_SHOWN = 20

/** What a log line says: so many requests had this key, or one of the others. */
export interface CountedKey {
  /** `null` where it is one of the others. */
  readonly key: string | null
  readonly requests: number
}

/**
 * Counts requests by a key that clients choose, as `LogThrottle` does. The first 20 keys of each interval have log lines of
 * their own. All others share one, so that a client that changes its key with each request does not fill the log.
 */
export class ClientKeyThrottle {
  readonly #clock: Clock
  readonly #everyMs: number
  readonly #throttle: LogThrottle
  readonly #shown = new Set<string>()
  #since = -Infinity

  constructor(clock: Clock, everyMs: number) {
    this.#clock = clock
    this.#everyMs = everyMs
    this.#throttle = new LogThrottle(clock, everyMs)
  }

  /** Counts a request. Returns what to log; `undefined` if it is not time yet. Each `code` has lines of its own. */
  count(key: string, code = ''): CountedKey | undefined {
    const shown = this.#isShown(key) ? key : null
    const requests = this.#throttle.count(JSON.stringify([code, shown]))
    return requests > 0 ? { key: shown, requests } : undefined
  }

  #isShown(key: string): boolean {
    const now = this.#clock.now()
    if (now - this.#since >= this.#everyMs) {
      this.#since = now
      this.#shown.clear()
    }
    if (this.#shown.size < MOST_SHOWN) this.#shown.add(key)
    return this.#shown.has(key)
  }
}
