import { LRUCache } from 'lru-cache'
import type { Clock } from '../time/clock.ts'

interface Count {
  unlogged: number
  loggedAt: number
}

/** The most keys that are counted at once. Keys may come from clients, so their number needs a bound. */
const MAX_KEYS = 1_000
/** The most log lines in one interval, whatever the keys are. */
const MAX_LINES = 100

/** Counts frequent events by key, so that a log line with the count is written at once, and then at intervals. */
export class LogThrottle {
  readonly #clock: Clock
  readonly #everyMs: number
  readonly #counts = new LRUCache<string, Count>({ max: MAX_KEYS })
  #since = -Infinity
  #lines = 0

  constructor(clock: Clock, everyMs: number) {
    this.#clock = clock
    this.#everyMs = everyMs
  }

  /** Counts an event, or `amount` of them. Returns the number since the last log line, or 0 where no line is due. */
  count(key: string, amount = 1): number {
    const now = this.#clock.now()
    let count = this.#counts.get(key)
    if (count === undefined) this.#counts.set(key, (count = { unlogged: 0, loggedAt: -Infinity }))
    count.unlogged += amount
    if (now - count.loggedAt < this.#everyMs || !this.#hasLine(now)) return 0
    const { unlogged } = count
    count.unlogged = 0
    count.loggedAt = now
    return unlogged
  }

  #hasLine(now: number): boolean {
    if (now - this.#since >= this.#everyMs) {
      this.#since = now
      this.#lines = 0
    }
    if (this.#lines === MAX_LINES) return false
    this.#lines += 1
    return true
  }
}

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
