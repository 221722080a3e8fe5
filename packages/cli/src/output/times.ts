const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Older times are shown as a date. */
const LONGEST_AGE_SECONDS = 60 * DAY

/** How far an ISO 8601 time is from now: `12 s ago`, `in 3 min`, `5 h ago`, `9 d ago`; a date if it is two months or more. */
export function ageOf(at: string, nowMs: number): string {
  const ms = nowMs - Date.parse(at)
  const seconds = Math.round(Math.abs(ms) / 1000)
  if (Number.isNaN(ms)) return at
  if (seconds >= LONGEST_AGE_SECONDS) return at.slice(0, 10)
  if (seconds === 0) return 'now'
  const text = shortSpan(seconds)
  return ms < 0 ? `in ${text}` : `${text} ago`
}

function shortSpan(seconds: number): string {
  if (seconds < MINUTE) return `${seconds} s`
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)} min`
  if (seconds < DAY) return `${Math.floor(seconds / HOUR)} h`
  return `${Math.floor(seconds / DAY)} d`
}
