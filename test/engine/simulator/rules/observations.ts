import type { Attempt } from '@hookline/protocol'
import type { Weather } from '../surroundings/receiver-weather.ts'

/** What went over the network of a simulation, as an onlooker remembers it. */
export class Observations {
  readonly #weather: ReadonlyMap<string, Weather>
  readonly #successes = new Map<string, number>()
  /** By URL: when the latest attempt began that was answered, whatever the answer; and the latest that failed. */
  readonly #answered = new Map<string, number>()
  readonly #failed = new Map<string, number>()
  #upSince = 0
  #sends = 0

  constructor(weather: ReadonlyMap<string, Weather>) {
    this.#weather = weather
  }

  get sends(): number {
    return this.#sends
  }

  /** Counts a request. Returns how often the receiver has taken this delivery by now. */
  sent(deliveryId: string, url: string, outcome: Attempt['outcome']): number {
    this.#sends++
    const key = `${deliveryId} ${url}`
    const before = this.#successes.get(key) ?? 0
    if (outcome !== 'delivered') return before
    this.#successes.set(key, before + 1)
    return before + 1
  }

  ended({ url, outcome, startedAt }: Attempt): void {
    const seen = outcome === 'retry' ? this.#failed : this.#answered
    seen.set(url, Math.max(seen.get(url) ?? 0, startedAt))
  }

  /** A process has started: what the one before knew of receivers is gone. */
  started(now: number): void {
    this.#upSince = now
  }

  successes(deliveryId: string, url: string): number {
    return this.#successes.get(`${deliveryId} ${url}`) ?? 0
  }

  /** Whether the process was up, and the webhook was tried and never answered, since then. */
  failedThroughout(url: string, since: number): boolean {
    const answered = this.#answered.get(url) ?? 0
    const failed = this.#failed.get(url) ?? 0
    return this.#upSince <= since && answered < since && failed >= since
  }

  retryAfterMs(url: string): number {
    return this.#weather.get(url)?.retryAfterMs ?? 0
  }
}
