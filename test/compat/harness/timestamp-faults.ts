import type { Call } from '../scenarios/call.ts'
import type { Observation } from './observation.ts'
import type { WireCall } from './wire-calls.ts'

/** The default of the service's setting. */
const CLOCK_SKEW_TOLERANCE_MS = 10 * 60 * 1000
/** A larger difference is not clock skew: one library sends the time of the call as `sentAt`. */
const MAX_SKEW_MS = 10 * 365 * 24 * 60 * 60 * 1000
/** Libraries round times to seconds or microseconds. */
const SECOND_MS = 1000
const ROUNDING_MS = 1

export interface TimedCall {
  readonly call: Call
  readonly sent: WireCall
  /** According to the service's clock. */
  readonly receivedAt: string | undefined
  /** The timestamp in the payload. */
  readonly timestamp: unknown
}

/** The expected timestamp is the one that the program passed, or the time of the call, corrected by the clock skew. */
export function timestampFaults(
  { call, sent, receivedAt, timestamp }: TimedCall,
  { scenario, startedAt, endedAt }: Observation,
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
    // Without `sentAt`, the service cannot detect clock skew.
    const byClient = Number.isNaN(sentAt) && sent.fields['timestamp'] !== undefined
    const shownMs = byClient ? 0 : aheadMs
    const from = startedAt + shownMs - SECOND_MS
    const isNow = isWithin(found, from, endedAt + shownMs + SECOND_MS)
    return isNow ? faults : [...faults, 'its timestamp differs from the time of the call']
  }
  const expected = Date.parse(call.timestamp) + correctionMs
  if (Math.abs(found - expected) <= ROUNDING_MS) return faults
  return [
    ...faults,
    `its timestamp is ${String(timestamp)}, expected ${new Date(expected).toISOString()}`,
  ]
}

function isWithin(value: number, from: number, until: number): boolean {
  return value >= from && value <= until
}
