const SHORTEST_MS = 1000
/** A receiver cannot ask for a longer pause. */
export const LONGEST_RETRY_AFTER_MS = 60 * 60 * 1000

const HONOURED = new Set([408, 425, 429, 503])

/** The three forms of an HTTP-date (RFC 9110 §5.6.7): the current one, that of RFC 850 and that of asctime. */
const HTTP_DATE =
  /^(?:[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4}|[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2}) \d{2}:\d{2}:\d{2} GMT$/
const ASCTIME = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [\d ]\d \d{2}:\d{2}:\d{2} \d{4}$/

/**
 * The pause that a response with this status and `Retry-After` asks for, in milliseconds, from 1 s to 1 h. The header
 * is a number of seconds or a date (RFC 9110 §10.2.3). `undefined` when it is not honoured for the status, or is not
 * valid.
 */
export function retryAfter(
  status: number,
  header: string | undefined,
  nowMs: number,
): number | undefined {
  if (!HONOURED.has(status) || header === undefined) return undefined
  const waitMs = requestedMs(header.trim(), nowMs)
  if (waitMs === undefined) return undefined
  return Math.min(Math.max(waitMs, SHORTEST_MS), LONGEST_RETRY_AFTER_MS)
}

function requestedMs(header: string, nowMs: number): number | undefined {
  if (/^\d+$/.test(header)) return Number(header) * 1000
  if (!HTTP_DATE.test(header) && !ASCTIME.test(header)) return undefined
  // The form of asctime has no time zone and means UTC.
  const at = Date.parse(ASCTIME.test(header) ? `${header} GMT` : header)
  return Number.isNaN(at) ? undefined : at - nowMs
}
