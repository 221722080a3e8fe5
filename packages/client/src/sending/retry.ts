const FIRST_MS = 100
const LONGEST_MS = 30_000

/** Whether an answer with this status may be another one next time; no answer at all always may. */
export function isRetryable(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500
}

/**
 * How long to wait before a retry, in milliseconds: 100 ms before the first, doubling to 30 s, of which a
 * random half is taken off so that many clients do not return at once; or longer, if the server says so.
 * @param retry counts from 1
 * @param random from 0 to 1
 * @param askedMs what the server asks for
 */
export function retryDelayMs(retry: number, random: number, askedMs = 0): number {
  const backoffMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** (retry - 1))
  return Math.max(backoffMs * (0.5 + random / 2), askedMs)
}

/** What a `Retry-After` header asks for: seconds, or a date (RFC 9110 §10.2.3). 0 where it cannot be read. */
export function retryAfterMs(header: string | null | undefined, nowMs: number): number {
  if (!header) return 0
  const ms = /^\s*\d+(\.\d+)?\s*$/.test(header) ? Number(header) * 1000 : Date.parse(header) - nowMs
  return ms > 0 ? ms : 0
}
