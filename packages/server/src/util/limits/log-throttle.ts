import { LRUCache } from 'lru-cache'
import type { Clock } from '../time/clock.ts'

/** Clients may choose the keys, so their number has a bound. */
const MAX_KEYS = 1_000
/** Log lines per interval, for all keys together. */
const MAX_LINES = 100
/** Maximum client-chosen keys with their own line in an interval. */
const MAX_CLIENT_KEYS = 20

/** Counts frequent events by key: the first is logged immediately, later ones once per interval with their count. */
export class LogThrottle {
  readonly #clock: Clock
  readonly #everyMs: number
  readonly #counts = new LRUCache<string, { unlogged: number; loggedAt: number }>({ max: MAX_KEYS })
  #since = -Infinity
  #lines = 0
  readonly #clientKeys = new Set<string>()

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

  /** The key, or `null` beyond the first 20 of an interval: a client that changes its key must not use up all lines. */
  clientKey(key: string): string | null {
    this.#renew(this.#clock.now())
    if (this.#clientKeys.size < MAX_CLIENT_KEYS) this.#clientKeys.add(key)
    return this.#clientKeys.has(key) ? key : null
  }

  #renew(now: number): void {
    if (now - this.#since < this.#everyMs) return
    this.#since = now
    this.#lines = 0
    this.#clientKeys.clear()
  }

  #hasLine(now: number): boolean {
    this.#renew(now)
    if (this.#lines === MAX_LINES) return false
    this.#lines += 1
    return true
  }
}
