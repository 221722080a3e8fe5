import { LRUCache } from 'lru-cache'
import type { Clock } from '../time/clock.ts'
import { type Bucket, FULL, type RateLimitOwner, type SharedBuckets } from './shared-buckets.ts'

interface RateLimitOptions {
  readonly burstSeconds?: number
  readonly shared?: SharedBuckets | undefined
}

/** Maximum number of unshared buckets. An evicted bucket starts full again. */
const MAX_BUCKETS = 10_000

const MAX_WAIT_SECONDS = 3_600

/** A unit is 0.06 ns. Up to a million requests per second, the cost of one is rounded by less than one part in 30,000. */
const UNITS_PER_MS = 2 ** 24
/** The maximum cost of one request: about two years. */
const MAX_UNITS = 2 ** 60

/**
 * Limits each id to `rateLimit` per second with a token bucket of `burstSeconds`. A changed limit starts with a full bucket.
 * A request passes if the bucket is not empty, and may overdraw it. So a request larger than the bucket is not refused
 * forever, but the next one waits.
 *
 * A bucket is one number: the time when it was or will be empty. It is updated by compare-and-exchange, so the limit is exact
 * across threads, and a killed thread leaves no lock.
 */
export class RateLimit {
  readonly #clock: Clock
  readonly #burstMs: number
  readonly #shared: SharedBuckets | undefined
  readonly #own = new LRUCache<string, Bucket>({ max: MAX_BUCKETS })
  /** Buckets count from this time, so that their numbers are small. */
  readonly #originMs: number

  constructor(clock: Clock, { burstSeconds = 1, shared }: RateLimitOptions = {}) {
    this.#clock = clock
    this.#burstMs = burstSeconds * 1_000
    this.#shared = shared
    this.#originMs = shared?.originMs ?? clock.now()
  }

  /** Takes `amount` tokens and returns 0, or returns the seconds to wait. */
  take({ id, rateLimit }: RateLimitOwner, amount: number): number {
    if (rateLimit === null) return 0
    if (rateLimit === 0) return MAX_WAIT_SECONDS
    const bucket = this.#shared?.find({ id, rateLimit })
    if (bucket !== undefined) return this.#takeFrom(bucket, amount / rateLimit)
    // Without a shared bucket, each thread has its part of the limit.
    const ownRate = rateLimit / (this.#shared?.threads ?? 1)
    return this.#takeFrom(this.#ownBucket(`${rateLimit} ${id}`), amount / ownRate)
  }

  /** @param seconds the time in which the limit refills the tokens */
  #takeFrom({ words, index }: Bucket, seconds: number): number {
    const cost = BigInt(Math.min(Math.round(seconds * 1_000 * UNITS_PER_MS), MAX_UNITS))
    for (;;) {
      const nowMs = this.#clock.now() - this.#originMs
      const now = unitsOf(nowMs)
      const emptyAt = Atomics.load(words, index)
      // The bucket must be positive. Zero is not enough.
      if (emptyAt >= now) return waitOf(emptyAt - now)
      const fullAt = unitsOf(nowMs - this.#burstMs)
      const next = (emptyAt > fullAt ? emptyAt : fullAt) + cost
      if (Atomics.compareExchange(words, index, emptyAt, next) === emptyAt) return 0
    }
  }

  #ownBucket(key: string): Bucket {
    let bucket = this.#own.get(key)
    if (bucket === undefined)
      this.#own.set(key, (bucket = { words: new BigInt64Array([FULL]), index: 0 }))
    return bucket
  }
}

function unitsOf(ms: number): bigint {
  return BigInt(ms * UNITS_PER_MS)
}

function waitOf(units: bigint): number {
  return Math.min(Math.floor(Number(units) / UNITS_PER_MS / 1_000) + 1, MAX_WAIT_SECONDS)
}
