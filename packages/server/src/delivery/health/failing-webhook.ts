import type { Attempt, AttemptClass } from '@hookline/protocol'
import type { Clock } from '../../util/time/clock.ts'

/** What the log needs of an attempt. */
export type EndedAttempt = Pick<Attempt, 'url' | 'outcome' | 'class' | 'status' | 'error'>

/** A webhook that has failed an attempt and has not recovered since, with its counts of the current minute. */
export class FailingWebhook {
  readonly destinationId: string
  readonly url: string
  /** Whether this minute has a line that its breaker opened. */
  hasOpenedLine = false
  /** Whether the log says that its breaker is open. */
  isOpenInLog = false
  readonly #begunAt: number
  readonly #begunAtWall: number
  #attempts = 0
  #failed = 0
  #classes: Partial<Record<AttemptClass, number>> = {}
  #last: EndedAttempt

  constructor(destinationId: string, attempt: EndedAttempt, clock: Clock) {
    this.destinationId = destinationId
    this.url = attempt.url
    this.#begunAt = clock.now()
    this.#begunAtWall = clock.wall()
    this.#last = attempt
  }

  /** Attempts in this minute. */
  get attempts(): number {
    return this.#attempts
  }

  /** Those that failed. */
  get failed(): number {
    return this.#failed
  }

  count(attempt: EndedAttempt): void {
    this.#attempts++
    if (attempt.outcome === 'delivered') return
    this.#failed++
    this.#classes[attempt.class] = (this.#classes[attempt.class] ?? 0) + 1
    this.#last = attempt
  }

  /** The fields of its summary. */
  summary(): object {
    return {
      attempts: this.#attempts,
      failed: this.#failed,
      classes: this.#classes,
      ...this.lastError(),
      since: new Date(this.#begunAtWall).toISOString(),
    }
  }

  lastError(): object {
    const { class: kind, status, error } = this.#last
    return { class: kind, status, error }
  }

  failingForMs(now: number): number {
    return now - this.#begunAt
  }

  /** The next minute begins. */
  reset(): void {
    this.#attempts = 0
    this.#failed = 0
    this.#classes = {}
  }
}
