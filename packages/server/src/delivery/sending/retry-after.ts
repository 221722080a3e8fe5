import { parseRetryAfter } from '@hookline/protocol'

const SHORTEST_MS = 1000
/** A receiver cannot ask for a longer pause. */
export const LONGEST_RETRY_AFTER_MS = 60 * 60 * 1000

/** A proxy in front of a receiver sends 502 or 503 (spec 12 §Limits). */
const HONOURED = new Set([408, 425, 429, 502, 503])

/**
 * The pause that a response with this status and `Retry-After` asks for, in milliseconds, from 1 s to 1 h. `undefined`
 * when it is not honoured for the status, or is not valid.
 */
export function retryAfter(
  status: number,
  header: string | undefined,
  nowMs: number,
): number | undefined {
  if (!HONOURED.has(status) || header === undefined) return undefined
  const waitMs = parseRetryAfter(header, nowMs)
  if (waitMs === undefined) return undefined
  return Math.min(Math.max(waitMs, SHORTEST_MS), LONGEST_RETRY_AFTER_MS)
}
