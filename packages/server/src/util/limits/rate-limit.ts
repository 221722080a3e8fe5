import { LRUCache } from 'lru-cache'
import type { Clock } from '../time/clock.ts'
import { type Bucket, FULL, type SharedBuckets } from './shared-buckets.ts'

/** A source or a token, whose requests are limited. */
export interface Limited {
  readonly id: string
  /** The limit per second; `null` for none. */
  readonly rateLimit: number | null
}

export interface RateLimitOptions {
  readonly burstSeconds?: number
  /** The buckets that several threads share; without them, this object has buckets of its own. */
  readonly shared?: SharedBuckets | undefined
}

/** The most buckets of its own that are kept. A bucket that was dropped starts full again. */
const MAX_BUCKETS = 10_000

/** The longest wait that is returned, also where the limit is 0. */
const MAX_WAIT_SECONDS = 3_600

/** A millisecond in the unit of a bucket, which is less than a nanosecond: rounding is less than a part in 30,000. */
const UNITS_A_MS = 2 ** 24
/** No request adds more: about two years. */
const MOST_UNITS = 2 ** 60

/**
 * Limits each id to its `rateLimit` per second with a token bucket, which holds the tokens of `burstSeconds`. A limit that
 * changes starts with a full bucket. A request passes when the bucket is not empty, and may take more tokens than there are:
 * then the next one waits. So a request larger than the bucket is not refused for ever.
 *
 * A bucket is one number: the time at which it was, or will be, empty. It is compared and exchanged, so the limit is exact
 * for any number of threads, and a thread that is killed leaves nothing locked.
 */
export class RateLimit {
  readonly #clock: Clock
  readonly #burstMs: number
  readonly #shared: SharedBuckets | undefined
  readonly #own = new LRUCache<string, Bucket>({ max: MAX_BUCKETS })
  /** Buckets count from here, so that their numbers are small. */
  readonly #originMs: number

  constructor(clock: Clock, { burstSeconds = 1, shared }: RateLimitOptions = {}) {
    this.#clock = clock
    this.#burstMs = burstSeconds * 1_000
    this.#shared = shared
    this.#originMs = shared?.originMs ?? clock.now()
  }

  /** Takes `amount` tokens and returns 0; or takes none and returns the time to wait, in whole seconds. */
  take({ id, rateLimit }: Limited, amount: number): number {
    if (rateLimit === null) return 0
    if (rateLimit === 0) return MAX_WAIT_SECONDS
    const bucket = this.#shared?.find({ id, rateLimit })
    if (bucket !== undefined) return this.#takeFrom(bucket, amount / rateLimit)
    // Where an id has no shared bucket, each thread passes its part of the limit: together never more.
    const ownRate = rateLimit / (this.#shared?.threads ?? 1)
    return this.#takeFrom(this.#ownBucket(`${rateLimit} ${id}`), amount / ownRate)
  }

  /** Adds the seconds in which the limit refills what is taken to the time at which the bucket is empty. */
  #takeFrom({ words, index }: Bucket, seconds: number): number {
    const taken = BigInt(Math.min(Math.round(seconds * 1_000 * UNITS_A_MS), MOST_UNITS))
    for (;;) {
      const nowMs = this.#clock.now() - this.#originMs
      const now = unitsOf(nowMs)
      const emptyAt = Atomics.load(words, index)
      // The bucket must be positive. Zero is not enough.
      if (emptyAt >= now) return waitOf(emptyAt - now)
      const fullAt = unitsOf(nowMs - this.#burstMs)
      const next = (emptyAt > fullAt ? emptyAt : fullAt) + taken
      if (Atomics.compareExchange(words, index, emptyAt, next) === emptyAt) return 0
    }
  }

  #ownBucket(key: string): Bucket {
    const known = this.#own.get(key)
    if (known !== undefined) return known
    const bucket = { words: new BigInt64Array([FULL]), index: 0 }
    this.#own.set(key, bucket)
    return bucket
  }
}

function unitsOf(ms: number): bigint {
  return BigInt(ms * UNITS_A_MS)
}

function waitOf(units: bigint): number {
  return Math.min(Math.floor(Number(units) / UNITS_A_MS / 1_000) + 1, MAX_WAIT_SECONDS)
}
