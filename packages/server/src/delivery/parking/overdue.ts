import type { Delivery } from '@hookline/protocol'
import { partOf } from '../parts/parts.ts'

/** An outage of one webhook. */
export interface OutageTimes {
  readonly now: number
  readonly retryWindowMs: number
  /** Since when the breaker has been open. */
  readonly since: number
  /** When the last probe failed. */
  readonly failedAt: number
}

/**
 * Whether the part ends as expired: its window has passed, *and* either it was attempted, or the breaker was open, with
 * failing probes, all the time. A part that is late because Hookline itself was stopped is still attempted (spec 02).
 */
export function isOverdue(delivery: Delivery, url: string, times: OutageTimes): boolean {
  const part = partOf(delivery, url)
  if (part === undefined) return false
  const end = part.firstDueAt + times.retryWindowMs
  if (end > times.now) return false
  // A probe must have failed after the end of the window. While Hookline was stopped, it sent none.
  return part.last !== undefined || (times.since <= part.firstDueAt && times.failedAt >= end)
}

/** Whether the part has been held since before its window ended, which was before `before`. */
export function isHeldTooLong(delivery: Delivery, url: string, before: number): boolean {
  const part = partOf(delivery, url)
  return part !== undefined && part.firstDueAt <= before
}
