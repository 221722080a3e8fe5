const SHORTEST_MS = 1000
const LONGEST_MS = 60 * 60 * 1000

const HONOURED = new Set([408, 425, 429, 503])

/** The three forms of an HTTP-date (RFC 9110 §5.6.7): the present one, RFC 850's, asctime's. */
const HTTP_DATE =
  /^(?:[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4}|[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2}) \d{2}:\d{2}:\d{2} GMT$/
const ASCTIME = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [\d ]\d \d{2}:\d{2}:\d{2} \d{4}$/

/**
 * How long an answer with this status and `Retry-After` asks for pause, in milliseconds: seconds or a date
 * (RFC 9110 §10.2.3), clamped to 1 s…1 h. `undefined` where the status is none that asks, or the
 * header cannot be read.
 */
export function retryAfter(
  status: number,
  header: string | undefined,
  nowMs: number,
): number | undefined {
  if (!HONOURED.has(status) || header === undefined) return undefined
  const waitMs = requestedMs(header.trim(), nowMs)
  if (waitMs === undefined) return undefined
  return Math.min(Math.max(waitMs, SHORTEST_MS), LONGEST_MS)
}

function requestedMs(header: string, nowMs: number): number | undefined {
  if (/^\d+$/.test(header)) return Number(header) * 1000
  if (!HTTP_DATE.test(header) && !ASCTIME.test(header)) return undefined
  // asctime's form names no zone, but means UTC.
  const at = Date.parse(ASCTIME.test(header) ? `${header} GMT` : header)
  return Number.isNaN(at) ? undefined : at - nowMs
}
