import type { Attempt } from '@hookline/protocol'

/**
 * How many rounds a lane may have in flight while its receiver recovers, as an immutable value. The limit follows AIMD
 * (additive increase, multiplicative decrease): it starts at 1 when a breaker has closed, grows by one after 20
 * successes, and is halved by each failure that is retried. When it reaches the lane's concurrency, the recovery is
 * over (spec 03 §Breaker).
 */
export interface RecoveryLimit {
  readonly limit: number
  readonly successes: number
}

const SUCCESSES_PER_STEP = 20

export const INITIAL_RECOVERY: RecoveryLimit = { limit: 1, successes: 0 }

/** The limit after an attempt; `undefined` when the recovery is over. */
export function afterAttempt(
  recovery: RecoveryLimit,
  { outcome }: Pick<Attempt, 'outcome'>,
  concurrency: number,
): RecoveryLimit | undefined {
  // Every retryable outcome shows that the receiver is overloaded: 429, 5xx, timeout, no connection.
  if (outcome === 'retry')
    return { limit: Math.max(1, Math.floor(recovery.limit / 2)), successes: 0 }
  const successes = recovery.successes + 1
  if (successes < SUCCESSES_PER_STEP) return { ...recovery, successes }
  return recovery.limit + 1 >= concurrency ? undefined : { limit: recovery.limit + 1, successes: 0 }
}
