/**
 * A number of seconds, or a date in one of the three forms of HTTP (RFC 9110 §5.6.7): the current one, that of RFC 850 and
 * that of asctime. Receivers also send fractions, days of one digit, and other names of UTC. A proxy that merges two
 * headers makes a list.
 */
const FORM =
  /(?:^|,)[ \t]*(\d+(?:\.\d+)?|[A-Z][a-z]+,? [\w -]+ \d\d:\d\d:\d\d (?:GMT|UTC|\+0000|\d{4}))[ \t]*(?:,|$)/

/**
 * How long a header `Retry-After` asks to wait, in whole milliseconds; negative for a date in the past. In a list, the first
 * value that can be read counts. `undefined` if there is none. `clients/go/testdata/retry-after.json` has a table of forms.
 */
export function parseRetryAfter(header: string, nowMs: number): number | undefined {
  const text = FORM.exec(header)?.[1]
  if (text === undefined) return undefined
  const seconds = Number(text)
  if (!Number.isNaN(seconds)) return Math.round(seconds * 1000)
  // The form of asctime has no time zone and means UTC.
  const at = Date.parse(text.replace(/ \d{4}$/, '$& GMT'))
  return Number.isNaN(at) ? undefined : at - nowMs
}
