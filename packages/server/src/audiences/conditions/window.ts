import { type Duration, DURATION_UNITS, parseTimestamp, type Window } from '@hookline/protocol'

export function durationMs({ days = 0, hours = 0, minutes = 0, seconds = 0 }: Duration): number {
  return (
    days * DURATION_UNITS.days +
    hours * DURATION_UNITS.hours +
    minutes * DURATION_UNITS.minutes +
    seconds * DURATION_UNITS.seconds
  )
}

/**
 * Includes an event if `at > now − withinMs`, or `from <= at < to`; with neither, always. A future event is in a
 * sliding window until `at + withinMs`.
 */
export interface WindowMs {
  readonly withinMs?: number
  readonly between?: readonly [from: number, to: number]
}

export function windowMs({ within, between }: Window): WindowMs {
  if (within !== undefined) return { withinMs: durationMs(within) }
  if (between === undefined) return {}
  return { between: [parseTimestamp(between[0])!, parseTimestamp(between[1])!] }
}

export function isInWindow({ withinMs, between }: WindowMs, at: number, now: number): boolean {
  if (withinMs !== undefined) return at > now - withinMs
  return between === undefined || (at >= between[0] && at < between[1])
}
