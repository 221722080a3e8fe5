import type { Attempt } from '@hookline/protocol'

/**
 * How many rounds a lane may have in flight while its receiver recovers: AIMD, as a value. `limit`
 * starts at 1 when a breaker has closed, grows by one per 20 successes and is halved by each sign of
 * strain, until it has reached the lane's concurrency and the recovery is over (spec 03 §Breaker).
 */
export interface Recovery {
  readonly limit: number
  readonly successes: number
}

const SUCCESSES_PER_STEP = 20

export const BEGINNING: Recovery = { limit: 1, successes: 0 }

/** The recovery after an attempt; `undefined` once it is over. */
export function afterAttempt(
  recovery: Recovery,
  { outcome }: Pick<Attempt, 'outcome'>,
  concurrency: number,
): Recovery | undefined {
  // Every retryable outcome is a sign of strain: 429, 5xx, timeout, no connection.
  if (outcome === 'retry')
    return { limit: Math.max(1, Math.floor(recovery.limit / 2)), successes: 0 }
  const successes = recovery.successes + 1
  if (successes < SUCCESSES_PER_STEP) return { ...recovery, successes }
  return recovery.limit + 1 >= concurrency ? undefined : { limit: recovery.limit + 1, successes: 0 }
}
