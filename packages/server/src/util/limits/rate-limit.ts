import { LRUCache } from 'lru-cache'
import type { Clock } from '../time/clock.ts'

interface Bucket {
  tokens: number
  filledAt: number
}

/** A source or a token, whose requests are limited. */
export interface Limited {
  readonly id: string
  /** The limit per second; `null` for none. */
  readonly rateLimit: number | null
}

/** The most buckets that are kept. A bucket that was dropped starts full again. */
const MAX_BUCKETS = 10_000

/** The longest wait that is returned, also where the limit is 0. */
const MAX_WAIT_SECONDS = 3_600

/**
 * Limits each id to its `rateLimit` per second with a token bucket. The bucket holds the tokens of `burstSeconds`, by
 * default of one second.
 *
 * A request passes when the bucket is not empty. It may take more tokens than there are. Then the next request waits
 * until the bucket is positive again. So a request larger than the bucket is delayed, and not refused for ever.
 */
export class RateLimit {
  readonly #clock: Clock
  readonly #burstSeconds: number
  readonly #buckets = new LRUCache<string, Bucket>({ max: MAX_BUCKETS })

  constructor(clock: Clock, { burstSeconds = 1 }: { readonly burstSeconds?: number } = {}) {
    this.#clock = clock
    this.#burstSeconds = burstSeconds
  }

  /** Takes `amount` tokens and returns 0; or takes none and returns the time to wait, in whole seconds. */
  take({ id, rateLimit }: Limited, amount: number): number {
    if (rateLimit === null) return 0
    const bucket = this.#filled(id, rateLimit)
    if (bucket.tokens > 0) {
      bucket.tokens -= amount
      return 0
    }
    // The bucket must be positive then. Zero is not enough.
    const seconds = Math.floor(-bucket.tokens / rateLimit) + 1
    return Math.min(seconds, MAX_WAIT_SECONDS) || MAX_WAIT_SECONDS
  }

  #filled(id: string, rateLimit: number): Bucket {
    const now = this.#clock.now()
    const most = rateLimit * this.#burstSeconds
    const bucket = this.#buckets.get(id)
    if (bucket === undefined) {
      const full = { tokens: most, filledAt: now }
      this.#buckets.set(id, full)
      return full
    }
    const elapsedMs = Math.max(now - bucket.filledAt, 0)
    bucket.tokens = Math.min(bucket.tokens + (elapsedMs / 1000) * rateLimit, most)
    bucket.filledAt = now
    return bucket
  }
}
