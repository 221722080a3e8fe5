import type { Attempt } from '@hookline/protocol'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../../util/clock.ts'
import { type Breaker, CLOSED, onAttempt, onSample, openUntil, sampleOf } from './breaker.ts'

interface Health {
  readonly breaker: Breaker
  /** Until when the receiver asked for quiet, by `Retry-After`. */
  readonly quietUntil: number
}

const WELL: Health = { breaker: CLOSED, quietUntil: 0 }

// Far more webhooks than are ill at one time; the one longest unused is forgotten first.
const MOST_KEPT = 10_000

/**
 * What this node knows of the webhooks it has tried: breaker, and quiet asked for. Both hold for the
 * whole webhook, not for the delivery that was answered so. Kept in memory: after a restart the first
 * answers tell again.
 */
export class WebhookHealth {
  readonly #clock: Clock
  readonly #longestOpenMs: number | undefined
  readonly #byKey = new LRUCache<string, Health>({ max: MOST_KEPT })

  /** @param options.longestOpenMs how long a breaker may stay open at a time, in place of 5 min */
  constructor(clock: Clock, options: { readonly longestOpenMs?: number | undefined } = {}) {
    this.#clock = clock
    this.#longestOpenMs = options.longestOpenMs
  }

  /** When the webhook may be tried next, in milliseconds since the epoch; 0 where it may at any time. */
  restsUntil(destinationId: string, url: string): number {
    const { breaker, quietUntil } = this.#of(destinationId, url)
    return Math.max(openUntil(breaker), quietUntil)
  }

  /** Since when its breaker has been open, probes included; `undefined` where it is closed. */
  brokenSince(destinationId: string, url: string): number | undefined {
    const { breaker } = this.#of(destinationId, url)
    return breaker.state === 'closed' ? undefined : breaker.since
  }

  /** When a probe failed last, or the attempt that opened its breaker; `undefined` where it is closed. */
  failedAt(destinationId: string, url: string): number | undefined {
    const { breaker } = this.#of(destinationId, url)
    return breaker.state === 'closed' ? undefined : breaker.failedAt
  }

  /** An attempt begins. */
  onAttempt(destinationId: string, url: string): void {
    const health = this.#of(destinationId, url)
    const breaker = onAttempt(health.breaker, this.#clock.now())
    if (breaker !== health.breaker) this.#set(destinationId, url, { ...health, breaker })
  }

  /** An attempt has ended. Returns whether the breaker opened or closed by it; a probe that failed does neither. */
  onResult(
    destinationId: string,
    attempt: Pick<Attempt, 'url' | 'outcome' | 'class'> & {
      readonly retryAfterMs?: number | undefined
    },
  ): 'opened' | 'closed' | undefined {
    const { url, retryAfterMs = 0 } = attempt
    const before = this.#of(destinationId, url)
    const now = this.#clock.now()
    const at = { now, random: Math.random(), longestOpenMs: this.#longestOpenMs }
    const breaker = onSample(before.breaker, sampleOf(attempt), at)
    const quietUntil =
      retryAfterMs > 0 ? Math.max(before.quietUntil, now + retryAfterMs) : before.quietUntil
    this.#set(destinationId, url, { breaker, quietUntil })
    if (breaker.state === 'open' && before.breaker.state === 'closed') return 'opened'
    return breaker.state === 'closed' && before.breaker.state !== 'closed' ? 'closed' : undefined
  }

  #of(destinationId: string, url: string): Health {
    return this.#byKey.get(`${destinationId} ${url}`) ?? WELL
  }

  #set(destinationId: string, url: string, health: Health): void {
    this.#byKey.set(`${destinationId} ${url}`, health)
  }
}
