const DATE = String.raw`(\d{4})-(\d{1,2})-(\d{1,2})`
const TIME = String.raw`(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9})\d*)?)?`
const OFFSET = String.raw`([+-])(\d{2})(?::?(\d{2}))?`
// Go writes the zone name, or the offset again, and a monotonic clock reading after the offset.
const GO_SUFFIX = String.raw`(?: (?:[A-Z]{2,5}|[+-]\d{2,4}))?(?: m=[+-]\d+\.\d+)?`
// The zone name as written by Java and Temporal (RFC 9557).
const BRACKETS = String.raw`(?:\[[^[\]]*\])*`
const ISO = new RegExp(
  `^${DATE}(?:[T ]${TIME} ?(?:(?:Z|UTC|GMT|${OFFSET}${GO_SUFFIX})${BRACKETS})?)?$`,
  'i',
)

// The format of formatTimestamp, limited to the days that every month has.
const FORMATTED =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/

// Below this, a number is seconds (up to the year 5138); above it, milliseconds (from 1973 on).
const SECONDS_BELOW = 100_000_000_000

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

// Date.UTC reads the years 0 to 99 as 1900 to 1999. The calendar repeats every 400 years.
const CALENDAR_CYCLE_YEARS = 400
const CALENDAR_CYCLE_MS = 146_097 * 86_400_000

const EARLIEST = Date.parse('0000-01-01T00:00:00.000Z')
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/**
 * Parses a client's timestamp into milliseconds since the epoch; `undefined` if it is invalid. Accepts the formats that
 * client libraries use in practice: ISO 8601 with `Z`, `UTC`, `GMT`, any offset or no zone (then UTC), any fraction,
 * single-digit months, date only; Go's `t.String()`; epoch seconds or milliseconds as a number. Other zone names are
 * allowed only after an offset. `clients/go/testdata/timestamps.json` lists examples, which the tests of the clients also use.
 */
export function parseTimestamp(value: unknown): number | undefined {
  if (isFormattedTimestamp(value)) return Date.parse(value)
  const ms =
    typeof value === 'string'
      ? parseIso(value.trim())
      : typeof value === 'number'
        ? fromEpoch(value)
        : undefined
  return ms === undefined || Number.isNaN(ms) || ms < EARLIEST || ms > LATEST ? undefined : ms
}

/** `YYYY-MM-DDTHH:mm:ss.sssZ`, the only form that Hookline writes. */
export function formatTimestamp(ms: number): string {
  return new Date(ms).toISOString()
}

/**
 * Whether `value` is a valid time in the format of `formatTimestamp`, which most client libraries send and which needs no
 * conversion. False for days from the 29th on, because not every month is that long.
 */
export function isFormattedTimestamp(value: unknown): value is string {
  return typeof value === 'string' && FORMATTED.test(value)
}

function fromEpoch(value: number): number {
  return Math.trunc(Math.abs(value) < SECONDS_BELOW ? value * 1000 : value)
}

function parseIso(text: string): number | undefined {
  const match = ISO.exec(text)
  if (!match) return undefined
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = ''] = match
  if (+hour > 23 || +minute > 59 || +second > 60 || !isDay(+year!, +month!, +day!)) return undefined
  const ms = +fraction.padEnd(3, '0').slice(0, 3)
  const instant = Date.UTC(
    +year! + CALENDAR_CYCLE_YEARS,
    +month! - 1,
    +day!,
    +hour,
    +minute,
    +second,
    ms,
  )
  return instant - CALENDAR_CYCLE_MS - offsetMs(match.slice(8))
}

function isDay(year: number, month: number, day: number): boolean {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return day >= 1 && day <= (month === 2 && isLeap ? 29 : (DAYS[month - 1] ?? 0))
}

/** NaN for an invalid offset. */
function offsetMs([sign = '+', hours = '0', minutes = '0']: readonly (
  string | undefined
)[]): number {
  if (+hours > 23 || +minutes > 59) return Number.NaN
  return (sign === '-' ? -1 : 1) * (+hours * 60 + +minutes) * 60_000
}
