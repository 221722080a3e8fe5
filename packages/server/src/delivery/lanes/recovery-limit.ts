import type { Attempt } from '@hookline/protocol'

/**
 * How many attempts a lane may have in flight while its receiver recovers, as an immutable value. The limit follows AIMD
 * (additive increase, multiplicative decrease): it starts at 1 when a breaker has closed, grows by one after 20
 * successes, and is halved by each failure that is retried. When it reaches the lane's concurrency, the recovery is
 * over (spec 03 §Breaker).
 *
 * A receiver that takes seconds for each response would recover for hours by that count alone. So the limit also grows
 * with a success that comes a second or more after the last change.
 */
export interface RecoveryLimit {
  readonly limit: number
  readonly successes: number
  /** When the limit changed last, in milliseconds since the epoch. */
  readonly since: number
}

const SUCCESSES_PER_STEP = 20
const STEP_MS = 1_000

export const INITIAL_RECOVERY: Omit<RecoveryLimit, 'since'> = { limit: 1, successes: 0 }

/** The limit after an attempt; `undefined` when the recovery is over. */
export function afterResult(
  recovery: RecoveryLimit,
  { outcome }: Pick<Attempt, 'outcome'>,
  { now, concurrency }: { readonly now: number; readonly concurrency: number },
): RecoveryLimit | undefined {
  // Every retryable outcome shows that the receiver is overloaded: 429, 5xx, timeout, no connection.
  if (outcome === 'retry')
    return { limit: Math.max(1, Math.floor(recovery.limit / 2)), successes: 0, since: now }
  const successes = recovery.successes + 1
  const isStep = successes >= SUCCESSES_PER_STEP || Math.abs(now - recovery.since) >= STEP_MS
  if (!isStep) return { ...recovery, successes }
  const limit = recovery.limit + 1
  return limit >= concurrency ? undefined : { limit, successes: 0, since: now }
}
