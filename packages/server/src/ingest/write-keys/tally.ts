import { LRUCache } from 'lru-cache'
import type { Clock } from '../../util/clock.ts'

interface Count {
  untold: number
  toldAt: number
}

/** Keys remembered; bounded, because keys may come from outside. */
const MAX_KEYS = 1_000

/** Counts what happens often, so that the log tells of it seldom: at once the first time, then at intervals. */
export class Tally {
  readonly #clock: Clock
  readonly #everyMs: number
  readonly #counts = new LRUCache<string, Count>({ max: MAX_KEYS })

  constructor(clock: Clock, everyMs: number) {
    this.#clock = clock
    this.#everyMs = everyMs
  }

  /** Counts one more, and returns how many there were since it was last told, or 0 while it need not be told yet. */
  add(key: string): number {
    const now = this.#clock.now()
    let count = this.#counts.get(key)
    if (count === undefined) this.#counts.set(key, (count = { untold: 0, toldAt: -Infinity }))
    count.untold += 1
    if (now - count.toldAt < this.#everyMs) return 0
    const { untold } = count
    count.untold = 0
    count.toldAt = now
    return untold
  }
}
