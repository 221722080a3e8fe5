import { formatTimestamp, parseTimestamp, parseTimeSpan } from '@hookline/protocol'
import { InvalidArgumentError } from 'commander'

/** Converts an ISO 8601 time, or a duration before now, to ISO 8601. */
export function pastTime(text: string, nowMs = Date.now()): string {
  return timeOf(text, nowMs, -1, 'a duration before now, like 90s, 1h or 7d')
}

/** Converts an ISO 8601 time, or a duration from now, to ISO 8601. */
export function futureTime(text: string, nowMs = Date.now()): string {
  return timeOf(text, nowMs, 1, 'a duration from now, like 12h or 30d')
}

/** Describes a past time in option help. */
export const PAST_TIME = 'ISO 8601, or a duration before now, like 1h'

const HOUR_MS = 60 * 60 * 1000

/** Parses whole hours. A number without a unit means hours. */
export function wholeHours(text: string): number {
  const ms = /^\d{1,6}$/.test(text) ? Number(text) * HOUR_MS : parseTimeSpan(text)
  if (ms !== undefined && ms % HOUR_MS === 0) return ms / HOUR_MS
  throw new InvalidArgumentError('Use whole hours, like 24h or 2d.')
}

function timeOf(text: string, nowMs: number, sign: 1 | -1, example: string): string {
  const span = parseTimeSpan(text)
  const ms = span === undefined ? parseTimestamp(text) : nowMs + sign * span
  if (ms !== undefined && ms >= 0 && ms <= LATEST_MS) return formatTimestamp(ms)
  throw new InvalidArgumentError(`Use ISO 8601, like 2026-11-21T09:30:00Z, or ${example}.`)
}

const LATEST_MS = Date.UTC(9999, 11, 31)
