import type { Attempt } from '@hookline/protocol'

/**
 * How many attempts a lane may have in flight while its receiver recovers, as an immutable value. The limit follows AIMD
 * (additive increase, multiplicative decrease): it starts at 1 when a breaker has closed, grows by one after 20
 * successes, and is halved by a failure that is retried. When it reaches the lane's concurrency, the recovery is
 * over (spec 03 §Breaker).
 *
 * A receiver that takes seconds for each response would recover for hours by that count alone. So the limit also grows
 * with a success that comes a second or more after the last change. Near the limit that failed last, both are slower,
 * because every attempt of a round trip may fail there.
 *
 * Attempts that began before the last fall say nothing about the new limit. Neither do those of a lane that its pace
 * keeps below the limit.
 */
export interface RecoveryLimit {
  readonly limit: number
  /** The limit that failed last. */
  readonly ceiling: number
  readonly successes: number
  /** When the limit changed last, in milliseconds since the epoch. */
  readonly since: number
  readonly fellAt: number
}

interface RecoveringLane {
  readonly now: number
  readonly concurrency: number
  /** Whether the limit, and not a pace, holds the lane back. */
  readonly isBinding: boolean
}

const STEP = { successes: 20, ms: 1_000 }
const STEP_NEAR_CEILING = { successes: 1_000, ms: 20_000 }
const NEAR_CEILING = 0.85
/** A receiver that takes this much more than the ceiling has more room than before. */
const ABOVE_CEILING = 2

export function initialRecovery(now: number): RecoveryLimit {
  return { limit: 1, ceiling: Infinity, successes: 0, since: now, fellAt: -Infinity }
}

/** The limit after an attempt; `undefined` when the recovery is over. */
export function afterResult(
  recovery: RecoveryLimit,
  { outcome, begunAt }: Pick<Attempt, 'outcome'> & { readonly begunAt: number },
  { now, concurrency, isBinding }: RecoveringLane,
): RecoveryLimit | undefined {
  const { ceiling, since, fellAt } = recovery
  if (begunAt < fellAt) return recovery
  // Every retryable outcome shows that the receiver is overloaded: 429, 5xx, timeout, no connection.
  if (outcome === 'retry') {
    const limit = Math.max(1, Math.floor(recovery.limit / 2))
    return { limit, ceiling: recovery.limit, successes: 0, since: now, fellAt: now }
  }
  if (!isBinding) return recovery
  const isNear =
    recovery.limit >= ceiling * NEAR_CEILING && recovery.limit < ceiling + ABOVE_CEILING
  const step = isNear ? STEP_NEAR_CEILING : STEP
  const successes = recovery.successes + 1
  const isStep = successes >= step.successes || Math.abs(now - since) >= step.ms
  if (!isStep) return { ...recovery, successes }
  const limit = recovery.limit + 1
  return limit >= concurrency ? undefined : { ...recovery, limit, successes: 0, since: now }
}
