import { LRUCache } from 'lru-cache'
import type { Clock } from './clock.ts'

interface Bucket {
  tokens: number
  filledAt: number
}

/** What is limited: a source, a token. */
export interface Limited {
  readonly id: string
  /** Per second; `null` for no limit. */
  readonly rateLimit: number | null
}

/** Buckets remembered; one that is forgotten starts full. */
const MAX_BUCKETS = 10_000

/** The longest wait told, also where nothing may pass at all. */
const MAX_WAIT_SECONDS = 3_600

/**
 * Holds each id to its `rateLimit` per second, with a token bucket that holds one second's worth, or as
 * many as `burstSeconds` says.
 *
 * A request passes when the bucket is not empty, and may take more than is in it: the debt is paid
 * before the next one passes. So one larger than the bucket is slowed down, not refused for ever.
 */
export class RateLimit {
  readonly #clock: Clock
  readonly #burstSeconds: number
  readonly #buckets = new LRUCache<string, Bucket>({ max: MAX_BUCKETS })

  constructor(clock: Clock, { burstSeconds = 1 }: { readonly burstSeconds?: number } = {}) {
    this.#clock = clock
    this.#burstSeconds = burstSeconds
  }

  /** Takes `amount` from the bucket and returns 0, or takes nothing and returns the whole seconds to wait. */
  take({ id, rateLimit }: Limited, amount: number): number {
    if (rateLimit === null) return 0
    const bucket = this.#filled(id, rateLimit)
    if (bucket.tokens > 0) {
      bucket.tokens -= amount
      return 0
    }
    // Until it holds something again: to be out of debt is not enough.
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
