import type { Scenario } from '../scenario.ts'

/** Limits of attempts in flight for a group of lanes, of the process or of one thread. */
export interface GroupLimits {
  readonly attempts: number
  readonly ofLane: number
  readonly retries: number
}

/**
 * Threads share the limit of the process equally, with at least 1 each (`LaneThreads`). One lane may use a quarter of the
 * limit or, with several threads, half of its thread's share, which is at most a quarter of the whole.
 */
export function groupLimits(
  { maxInFlight, maxConcurrencyPerWebhook }: Scenario['limits'],
  threads: number,
): GroupLimits {
  const attempts = Math.max(1, Math.floor(maxInFlight / Math.max(1, threads)))
  const laneShare = Math.max(1, Math.floor(attempts / (threads > 1 ? 2 : 4)))
  return {
    attempts,
    ofLane: Math.min(maxConcurrencyPerWebhook, laneShare),
    retries: Math.max(1, Math.floor(attempts / 4)),
  }
}

/** The attempts in flight of one group of lanes. */
export class AttemptsInFlight {
  readonly #attempts = new Set<string>()
  readonly #byLane = new Map<string, number>()
  retries = 0

  get count(): number {
    return this.#attempts.size
  }

  of(lane: string): number {
    return this.#byLane.get(lane) ?? 0
  }

  has(attempt: string): boolean {
    return this.#attempts.has(attempt)
  }

  begins(attempt: string, lane: string, isRetry: boolean): void {
    this.#attempts.add(attempt)
    this.#count(lane, isRetry, 1)
  }

  ends(attempt: string, lane: string, isRetry: boolean): void {
    this.#attempts.delete(attempt)
    this.#count(lane, isRetry, -1)
  }

  #count(lane: string, isRetry: boolean, by: 1 | -1): void {
    this.#byLane.set(lane, this.of(lane) + by)
    if (isRetry) this.retries += by
  }
}
