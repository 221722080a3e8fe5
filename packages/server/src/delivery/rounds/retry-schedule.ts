/** How a failed attempt is followed by the next. */
export interface RetrySchedule {
  /** How long a delivery is retried, from when it first became due. */
  readonly windowMs: number
  /** Waits after the first, second, … attempt, in place of the exponential ones; the last one repeats. */
  readonly delaysMs?: readonly number[] | undefined
}

export interface FailedAttempt {
  /** Which attempt it was, from 1. */
  readonly number: number
  /** When the delivery first became due, in milliseconds since the epoch. */
  readonly firstDueAt: number
  readonly now: number
  /** The receiver asked not to be tried before this long from now. */
  readonly retryAfterMs?: number | undefined
  /** Evenly spread over [0, 1). */
  readonly random: number
}

const FIRST_DELAY_MS = 5_000
const LONGEST_DELAY_MS = 30 * 60_000
const LONGEST_LAST_SPAN_MS = 60_000

/**
 * When to try again, or `undefined` when no further attempt fits the window.
 * min(30 min, 5 s · 3^(n−1)) × U(0.75, 1.25), and a last one within the final minute of the window
 * (spec 02 §What an answer means); within its final tenth where the window is shorter than ten minutes.
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

function delayMs({ delaysMs }: RetrySchedule, { number, random }: FailedAttempt): number {
  if (delaysMs && delaysMs.length > 0) return delaysMs[Math.min(number, delaysMs.length) - 1]!
  const exponential = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 3 ** (number - 1))
  return Math.round(exponential * (0.75 + random / 2))
}
