import { LRUCache } from 'lru-cache'
import type { Clock } from '../time/clock.ts'

/** Clients may choose the keys, so their number is bounded. */
const MAX_KEYS = 1_000
/** Maximum number of log lines per interval, for all keys together. */
const MAX_LINES = 100
/** Maximum number of client-chosen keys with their own line in an interval. */
const MAX_CLIENT_KEYS = 20

interface Count {
  unlogged: number
  loggedAt: number
  /** Writes the line of the last event. */
  log: (count: number) => void
}

/** Replaces `log` after its line is written, so that the event can be freed. */
const NOTHING = (): void => undefined

/** Logs frequent events by key: the first immediately, later ones once per interval with their count. */
export class LogThrottle {
  readonly #clock: Clock
  readonly #everyMs: number
  readonly #counts = new LRUCache<string, Count>({ max: MAX_KEYS })
  #since = -Infinity
  #lines = 0
  #isScheduled = false
  readonly #clientKeys = new Set<string>()

  constructor(clock: Clock, everyMs: number) {
    this.#clock = clock
    this.#everyMs = everyMs
  }

  /** Calls `log` with the number of events since the last line, now or when the interval is over. */
  count(key: string, log: (count: number) => void, amount = 1): void {
    let count = this.#counts.get(key)
    if (count === undefined)
      this.#counts.set(key, (count = { unlogged: 0, loggedAt: -Infinity, log }))
    count.unlogged += amount
    count.log = log
    if (!this.#logIfDue(count)) this.#schedule()
  }

  /** The key, or `null` beyond the first 20 of an interval: a client that changes its key must not use up all lines. */
  clientKey(key: string): string | null {
    this.#renew(this.#clock.now())
    if (this.#clientKeys.size < MAX_CLIENT_KEYS) this.#clientKeys.add(key)
    return this.#clientKeys.has(key) ? key : null
  }

  #logIfDue(count: Count): boolean {
    const now = this.#clock.now()
    if (now - count.loggedAt < this.#everyMs || !this.#hasLine(now)) return false
    const { unlogged, log } = count
    count.unlogged = 0
    count.loggedAt = now
    count.log = NOTHING
    log(unlogged)
    return true
  }

  /** Counts that were held back are logged even if no further event follows. */
  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    this.#clock.after(this.#everyMs, () => {
      this.#isScheduled = false
      const held = [...this.#counts.values()].filter(({ unlogged }) => unlogged > 0)
      const rest = held.filter((count) => !this.#logIfDue(count))
      if (rest.length > 0) this.#schedule()
    })
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
