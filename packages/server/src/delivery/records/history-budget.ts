import type { Attempt } from '@hookline/protocol'
import type { Counter } from 'prom-client'
import type { Clock } from '../../util/time/clock.ts'

const HOUR_MS = 60 * 60 * 1000
/** Further responses of the same kind in an hour show nothing new. */
const RESPONSES_PER_HOUR = 100
const MOST_KINDS = 10_000

/**
 * Limits the disk space of the history: for each destination, URL and class of failure, the responses of 100 attempts
 * an hour are kept. Further attempts are kept without headers and body, and counted.
 */
export class HistoryBudget {
  readonly #clock: Clock
  readonly #dropped: Pick<Counter, 'inc'>
  readonly #kept = new Map<string, number>()
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
    const hour = Math.floor(this.#clock.now() / HOUR_MS)
    if (hour !== this.#hour) this.#kept.clear()
    this.#hour = hour
    const kept = this.#kept.get(kind) ?? 0
    if (kept >= RESPONSES_PER_HOUR || (kept === 0 && this.#kept.size >= MOST_KINDS)) return false
    this.#kept.set(kind, kept + 1)
    return true
  }
}

function hasResponse({ headers, body }: Attempt): boolean {
  return headers !== undefined || body !== undefined
}
