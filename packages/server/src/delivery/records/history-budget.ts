import type { Attempt } from '@hookline/protocol'
import type { Counter } from 'prom-client'
import type { Clock } from '../../util/clock.ts'

const HOUR_MS = 60 * 60 * 1000
/** What a receiver answered the hundredth time this hour, it answered before. */
const BODIES_PER_HOUR = 100
const MOST_KINDS = 10_000

/**
 * Keeps the history from eating the disk: of each destination, URL and class of failure, the answers of
 * 100 attempts an hour. Later attempts are kept without headers and body, and counted.
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

  /** The attempts as they may be kept. Those that delivered cost nothing: their answers are never kept. */
  within(destinationId: string, attempts: readonly Attempt[]): readonly Attempt[] {
    return attempts.map((attempt) => {
      if (attempt.outcome === 'delivered' || !hasAnswer(attempt)) return attempt
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
    if (kept >= BODIES_PER_HOUR || (kept === 0 && this.#kept.size >= MOST_KINDS)) return false
    this.#kept.set(kind, kept + 1)
    return true
  }
}

function hasAnswer({ headers, body }: Attempt): boolean {
  return headers !== undefined || body !== undefined
}
