import type { Attempt } from '@hookline/protocol'
import type { Counter } from 'prom-client'
import type { Clock } from '../../util/time/clock.ts'

const HOUR_MS = 60 * 60 * 1000

/** Keeps the first responses in each hour, then one per interval, as a recent example. */
interface Rate {
  readonly firstOfHour: number
  readonly thenEveryMs: number
}

/** At most 100 an hour. */
const FAILURES: Rate = { firstOfHour: 40, thenEveryMs: 60_000 }
/** At most 60 an hour. */
const SUCCESSES: Rate = { firstOfHour: 1, thenEveryMs: 60_000 }
const MAX_KINDS = 10_000

/**
 * Limits the stored responses of each destination, URL and class. Attempts beyond the limit are
 * stored without a response.
 */
export class HistoryBudget {
  readonly #clock: Clock
  readonly #dropped: Pick<Counter, 'inc'>
  readonly #kept = new Map<string, { count: number; lastAt: number }>()
  #hour = 0

  constructor(clock: Clock, dropped: Pick<Counter, 'inc'>) {
    this.#clock = clock
    this.#dropped = dropped
  }

  /** Whether the response to a successful attempt would be kept now. */
  keepsSuccess(destinationId: string, url: string): boolean {
    return this.#mayKeep(keyOf(destinationId, { url, class: 'delivered' }), SUCCESSES)
  }

  within(destinationId: string, attempt: Attempt): Attempt {
    if (attempt.headers === undefined && attempt.body === undefined) return attempt
    const isSuccess = attempt.outcome === 'delivered'
    const key = keyOf(destinationId, attempt)
    if (this.#mayKeep(key, isSuccess ? SUCCESSES : FAILURES)) {
      this.#kept.set(key, {
        count: (this.#kept.get(key)?.count ?? 0) + 1,
        lastAt: this.#clock.now(),
      })
      return attempt
    }
    if (!isSuccess) this.#dropped.inc()
    const { headers: _headers, body: _body, ...rest } = attempt
    return rest
  }

  #mayKeep(key: string, { firstOfHour, thenEveryMs }: Rate): boolean {
    const now = this.#clock.now()
    const hour = Math.floor(now / HOUR_MS)
    if (hour !== this.#hour) this.#kept.clear()
    this.#hour = hour
    const usage = this.#kept.get(key)
    if (usage === undefined) return this.#kept.size < MAX_KINDS
    return usage.count < firstOfHour || now >= usage.lastAt + thenEveryMs
  }
}

function keyOf(
  destinationId: string,
  { url, class: kind }: Pick<Attempt, 'url' | 'class'>,
): string {
  return `${destinationId} ${url} ${kind}`
}
