/**
 * A number of seconds, or a date in one of the three HTTP formats (RFC 9110 §5.6.7): IMF-fixdate, RFC 850 and asctime.
 * Receivers also send fractions, one-digit days and other names for UTC. A proxy that merges two headers produces a list.
 */
const FORMAT =
  /(?:^|,)[ \t]*(\d+(?:\.\d+)?|[A-Z][a-z]+,? [\w -]+ \d\d:\d\d:\d\d (?:GMT|UTC|\+0000|\d{4}))[ \t]*(?:,|$)/

/**
 * The delay in a `Retry-After` header, in whole milliseconds; negative for a date in the past. In a list, the first value in one
 * of these formats counts. `undefined` for other values and impossible dates.
 * `clients/go/testdata/retry-after.json` lists examples.
 */
export function parseRetryAfter(header: string, nowMs: number): number | undefined {
  const text = FORMAT.exec(header)?.[1]
  if (text === undefined) return undefined
  const seconds = Number(text)
  if (!Number.isNaN(seconds)) return Math.round(seconds * 1000)
  // asctime has no time zone and means UTC.
  const at = Date.parse(text.replace(/ \d{4}$/, '$& GMT'))
  return Number.isNaN(at) ? undefined : at - nowMs
}
