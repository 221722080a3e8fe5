const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** The service's clock may be ahead of the browser's. */
const MAX_SKEW = 3 * SECOND

/** `now`, `12 s ago`, `in 3 min`. Future times are rounded: `in 24 h` must not become `in 23 h` a moment later. */
export function relativeTime(at: number, now: number): string {
  const apart = Math.abs(now - at)
  if (apart < (at > now ? MAX_SKEW : SECOND)) return 'now'
  const [size, unit] = unitOf(apart)
  return at > now
    ? `in ${Math.round(apart / size)} ${unit}`
    : `${Math.floor(apart / size)} ${unit} ago`
}

/** `in 3 min`, or `due now` once the time has come. */
export function dueTime(at: number, now: number): string {
  const text = relativeTime(at, now)
  return at > now && text !== 'now' ? text : 'due now'
}

function unitOf(apart: number): readonly [number, string] {
  if (apart < MINUTE) return [SECOND, 's']
  if (apart < HOUR) return [MINUTE, 'min']
  if (apart < 2 * DAY) return [HOUR, 'h']
  return [DAY, 'd']
}

/** `2026-11-23 14:03:07.123 UTC`, or in the zone of the browser. */
export function absoluteTime(at: number, zone: 'utc' | 'local'): string {
  if (Number.isNaN(at)) return 'no time'
  if (zone === 'utc') return `${new Date(at).toISOString().replace('T', ' ').slice(0, -1)} UTC`
  const offset = -new Date(at).getTimezoneOffset()
  const local = new Date(at + offset * MINUTE).toISOString().replace('T', ' ').slice(0, -1)
  const hours = Math.floor(Math.abs(offset) / 60)
  const minutes = String(Math.abs(offset) % 60).padStart(2, '0')
  return `${local} UTC${offset < 0 ? '−' : '+'}${hours}:${minutes}`
}

/** `14:03:07` */
export function clockTime(at: number, zone: 'utc' | 'local'): string {
  return absoluteTime(at, zone).slice(11, 19)
}
