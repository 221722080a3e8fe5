import { LRUCache } from 'lru-cache'
import type { Clock } from '../time/clock.ts'

/** Clients may choose the keys, so their number has a bound. */
const MAX_KEYS = 1_000
/** Log lines per interval, for all keys together. */
const MAX_LINES = 100

/** Counts frequent events by key: the first is logged immediately, later ones once per interval with their count. */
export class LogThrottle {
  readonly #clock: Clock
  readonly #everyMs: number
  readonly #counts = new LRUCache<string, { unlogged: number; loggedAt: number }>({ max: MAX_KEYS })
  #since = -Infinity
  #lines = 0

  constructor(clock: Clock, everyMs: number) {
    this.#clock = clock
    this.#everyMs = everyMs
  }

  /** Returns the number of events since the last log line; 0 if no line is due. */
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
