import type { Call } from '../scenarios/call.ts'
import type { Observed } from './observed.ts'
import type { WireCall } from './wire-calls.ts'

/** The default of the setting. */
const CLOCK_SKEW_TOLERANCE_MS = 10 * 60 * 1000
/** A `sentAt` that is further away says nothing about a clock. One library sends the time of the call as `sentAt`. */
const MAX_SKEW_MS = 10 * 365 * 24 * 60 * 60 * 1000
/** Libraries write times in seconds or in microseconds. */
const SECOND_MS = 1000
const ROUNDING_MS = 1

export interface TimedCall {
  readonly call: Call
  readonly sent: WireCall
  /** By the clock of the service. */
  readonly receivedAt: string | undefined
  /** Of the payload. */
  readonly timestamp: unknown
}

/** The time of a call is the one that the program gave, or when it made the call, corrected by the skew of the clocks. */
export function timestampFaults(
  { call, sent, receivedAt, timestamp }: TimedCall,
  { scenario, startedAt, endedAt }: Observed,
): string[] {
  const aheadMs = scenario.aheadMs ?? 0
  const found = Date.parse(String(timestamp))
  const received = Date.parse(String(receivedAt))
  const sentAt = Date.parse(String(sent.envelope['sentAt'] ?? sent.fields['sentAt']))
  const skewMs = Number.isNaN(sentAt) ? 0 : received - sentAt
  const isSkewed = Math.abs(skewMs) > CLOCK_SKEW_TOLERANCE_MS && Math.abs(skewMs) <= MAX_SKEW_MS
  const correctionMs = isSkewed ? skewMs : 0
  const faults = isWithin(received, startedAt + aheadMs, endedAt + aheadMs)
    ? []
    : [`was received at ${receivedAt}`]
  if (call.timestamp === undefined) {
    // Without a time of sending, the service cannot see that the clocks differ.
    const byClient = Number.isNaN(sentAt) && sent.fields['timestamp'] !== undefined
    const shownMs = byClient ? 0 : aheadMs
    const from = startedAt + shownMs - SECOND_MS
    const isNow = isWithin(found, from, endedAt + shownMs + SECOND_MS)
    return isNow ? faults : [...faults, 'its timestamp is not that of the call']
  }
  const expected = Date.parse(call.timestamp) + correctionMs
  if (Math.abs(found - expected) <= ROUNDING_MS) return faults
  return [
    ...faults,
    `its timestamp is ${String(timestamp)}, and not ${new Date(expected).toISOString()}`,
  ]
}

function isWithin(value: number, from: number, until: number): boolean {
  return value >= from && value <= until
}
