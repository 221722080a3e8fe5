import type { Attempt } from '@hookline/protocol'
import type { Counter } from 'prom-client'
import type { Clock } from '../../util/time/clock.ts'

const HOUR_MS = 60 * 60 * 1000
/** Further responses of the same kind in an hour show nothing new … */
const FIRST_OF_HOUR = 40
/** … but people look at the newest failure, so one a minute is kept: at most 100 in an hour. */
const THEN_EVERY_MS = 60_000
const MOST_KINDS = 10_000

/**
 * Limits the disk space of the history: for each destination, URL and class of failure, the responses of the first 40
 * attempts of an hour are kept, then one a minute. Further attempts are kept without headers and body, and counted.
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

  /**
   * The attempts, without the responses beyond the limit. Successful attempts do not count: their responses are never
   * kept.
   */
  within(destinationId: string, attempts: readonly Attempt[]): readonly Attempt[] {
    return attempts.map((attempt) => {
      if (attempt.outcome === 'delivered' || !hasResponse(attempt)) return attempt
      if (this.#mayKeep(`${destinationId} ${attempt.url} ${attempt.class}`)) return attempt
      this.#dropped.inc()
      const { headers: _headers, body: _body, ...rest } = attempt
      return rest
    })
  }

  #mayKeep(kind: string): boolean {
    const now = this.#clock.now()
    const hour = Math.floor(now / HOUR_MS)
    if (hour !== this.#hour) this.#kept.clear()
    this.#hour = hour
    const kept = this.#kept.get(kind)
    if (kept === undefined) {
      if (this.#kept.size >= MOST_KINDS) return false
      this.#kept.set(kind, { count: 1, lastAt: now })
      return true
    }
    if (kept.count >= FIRST_OF_HOUR && now < kept.lastAt + THEN_EVERY_MS) return false
    kept.count += 1
    kept.lastAt = now
    return true
  }
}

function hasResponse({ headers, body }: Attempt): boolean {
  return headers !== undefined || body !== undefined
}
