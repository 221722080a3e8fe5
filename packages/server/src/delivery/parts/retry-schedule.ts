import { LONGEST_RETRY_AFTER_MS } from '../sending/outcome.ts'

/** When a failed attempt is retried. */
export interface RetrySchedule {
  /** How long a delivery is retried after it first became due. */
  readonly windowMs: number
  /** The delays after the first, second, … attempt, in place of the exponential ones. The last one repeats. */
  readonly delaysMs?: readonly number[] | undefined
}

export interface FailedAttempt {
  /** Which attempt it was, from 1. */
  readonly number: number
  /** When the delivery first became due, in milliseconds since the epoch. */
  readonly firstDueAt: number
  readonly now: number
  /** The receiver asked for no attempt before this time has passed. */
  readonly retryAfterMs?: number | undefined
  /** Uniform over [0, 1). */
  readonly random: number
}

const FIRST_DELAY_MS = 5_000
const LONGEST_DELAY_MS = 30 * 60_000
const LONGEST_LAST_SPAN_MS = 60_000

/**
 * When to try again, or `undefined` when no further attempt fits into the window. The delay after attempt n is
 * min(30 min, 5 s · 3^(n−1)) × U(0.75, 1.25). The last attempt falls into the final minute of the window, or into its
 * final tenth when the window is shorter than ten minutes (spec 02 §What an answer means).
 */
export function nextAttemptAt(schedule: RetrySchedule, attempt: FailedAttempt): number | undefined {
  const { firstDueAt, now, retryAfterMs = 0, random } = attempt
  const end = firstDueAt + schedule.windowMs
  const lastSpanMs = Math.min(LONGEST_LAST_SPAN_MS, schedule.windowMs / 10)
  const next = now + Math.max(delayMs(schedule, attempt), retryAfterMs)
  if (next < end - lastSpanMs) return next
  const last = Math.round(end - lastSpanMs * (1 - random))
  return now < end - lastSpanMs && now + retryAfterMs <= last ? last : undefined
}

/** No attempt is followed by a longer wait for the next one. */
export function longestWaitMs({ delaysMs = [] }: Pick<RetrySchedule, 'delaysMs'>): number {
  const longestDelayMs = Math.max(LONGEST_DELAY_MS * 1.25, LONGEST_RETRY_AFTER_MS, ...delaysMs)
  return longestDelayMs + LONGEST_LAST_SPAN_MS
}

function delayMs({ delaysMs }: RetrySchedule, { number, random }: FailedAttempt): number {
  if (delaysMs && delaysMs.length > 0) return delaysMs[Math.min(number, delaysMs.length) - 1]!
  const exponential = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 3 ** (number - 1))
  return Math.round(exponential * (0.75 + random / 2))
}
