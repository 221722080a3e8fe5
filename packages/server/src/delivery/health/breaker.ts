import type { Attempt, AttemptClass } from '@hookline/protocol'
import { classification, isForbidden } from '../sending/outcome.ts'
import { isThrottled } from './pace.ts'

/**
 * The circuit breaker of one webhook, as an immutable value. Its states:
 *
 *               ≥ 70% of ≥ 10 samples in 60 s failed, or 10 in a row did not connect
 *     closed ────────────────────────────────────────────────────────────────────────▶ open
 *       ▲                                                                              │ ▲
 *       │ the probe `responded`                                     open time elapsed: │ │ the probe
 *       │                                                          one attempt, a probe ▼ │ failed
 *       └─────────────────────────────────────────────────────────────────────────── half-open
 *
 * It stays open for a random time of up to 30 s (full jitter); each failed probe doubles that maximum, up to 5 min. While it is
 * open, no attempts are made, so deliveries use up no retries. Throttled attempts count as failures only if no attempt in the window succeeded: otherwise they lower
 * the pace. A `responded` sample of an earlier attempt closes a breaker that throttling opened.
 */
export type Breaker =
  | { readonly state: 'closed'; readonly recent: readonly Bucket[]; readonly unconnected: number }
  | {
      readonly state: 'open'
      readonly since: number
      readonly until: number
      readonly openings: number
      /** Time of the last failed probe, or of the failure that opened it. */
      readonly failedAt: number
      /** Whether throttled attempts opened it. */
      readonly byThrottling?: boolean
    }
  | {
      readonly state: 'half-open'
      readonly since: number
      readonly until: number
      readonly openings: number
      readonly failedAt: number
    }

interface Bucket {
  readonly start: number
  readonly samples: number
  readonly failures: number
  readonly throttled: number
}

/** A final 4xx is a response, not an outage. */
export type Sample = 'responded' | 'failed' | 'unconnected' | 'throttled'

export interface SampledAt {
  readonly now: number
  /** Uniform over [0, 1): the jitter of the open time. */
  readonly random: number
  readonly maxOpenMs?: number | undefined
}

const WINDOW_MS = 60_000
const BUCKET_MS = 10_000
const MIN_SAMPLES = 10
const FAILING_SHARE = 0.7
const UNCONNECTED: ReadonlySet<AttemptClass> = new Set([
  'connection_failed',
  'dns_failed',
  'proxy_failed',
])
const UNCONNECTED_IN_A_ROW = 10
const FIRST_OPEN_MS = 30_000
const MAX_OPEN_MS = 5 * 60_000
/** Even with jitter, a failing webhook gets at most one probe a second. */
const MIN_OPEN_MS = 1_000
/**
 * After this time without a result, another probe may start. Enough for two requests with the longest timeout, each
 * after two token requests with the default timeout.
 */
const PROBE_MS = 90_000

export const CLOSED: Breaker = { state: 'closed', recent: [], unconnected: 0 }

/** `undefined` if the URL is forbidden, or a bug stopped the attempt. */
export function sampleOf(
  attempt: Pick<Attempt, 'class' | 'status' | 'durationMs'> & {
    readonly retryAfterMs?: number | undefined
  },
): Sample | undefined {
  const { class: kind, retryAfterMs } = attempt
  if (isForbidden(kind) || kind === 'internal_error') return undefined
  // Even with Retry-After: it comes from the token endpoint, not the receiver.
  if (kind === 'auth_failed') return 'unconnected'
  // Retry-After is obeyed, and does not open the breaker. `retryOn` and `webhook-delivery` do not change the meaning of a status.
  if (classification(kind).outcome !== 'retry' || retryAfterMs !== undefined) return 'responded'
  if (isThrottled(attempt)) return 'throttled'
  return UNCONNECTED.has(kind) ? 'unconnected' : 'failed'
}

/** The time of the earliest next attempt, in milliseconds since the epoch; 0 for any time. */
export function earliestAttemptAt(breaker: Breaker): number {
  return breaker.state === 'closed' ? 0 : breaker.until
}

/** The first attempt after an open time is the probe; the others wait for its result. */
export function onAttempt(breaker: Breaker, now: number): Breaker {
  return breaker.state === 'closed'
    ? breaker
    : { ...breaker, state: 'half-open', until: now + PROBE_MS }
}

/** While the breaker is open, results of earlier attempts are ignored, unless throttled attempts opened it. */
export function onSample(breaker: Breaker, sample: Sample, at: SampledAt): Breaker {
  const { now } = at
  if (breaker.state === 'open')
    return breaker.byThrottling === true && sample === 'responded' ? CLOSED : breaker
  if (breaker.state === 'half-open') {
    return sample === 'responded' ? CLOSED : openBreaker(breaker.since, breaker.openings + 1, at)
  }
  const recent = countSample(breaker.recent, sample, now)
  const unconnected = sample === 'unconnected' ? breaker.unconnected + 1 : 0
  if (unconnected < UNCONNECTED_IN_A_ROW && !isFailing(recent))
    return { state: 'closed', recent, unconnected }
  const open = openBreaker(now, 1, at)
  return sample === 'throttled' ? { ...open, byThrottling: true } : open
}

/** The attempt is not evidence about the receiver. If it was the probe, the next attempt may be one. */
export function onNoSample(breaker: Breaker, now: number): Breaker {
  return breaker.state === 'half-open' ? { ...breaker, state: 'open', until: now } : breaker
}

export function onResult(
  breaker: Breaker,
  attempt: Parameters<typeof sampleOf>[0],
  at: SampledAt,
): Breaker {
  const sample = sampleOf(attempt)
  return sample === undefined ? onNoSample(breaker, at.now) : onSample(breaker, sample, at)
}

/** An open breaker as sent to other nodes: in durations, because clocks differ. */
export interface BreakerReport {
  readonly openForMs: number
  readonly restsForMs: number
  readonly openings: number
  readonly failedForMs: number
}

/** The delay before other nodes probe as well, in case the node that opened the breaker has died. */
const PEER_PROBE_DELAY_MS = 2_000

export function reportOf(breaker: Breaker & { state: 'open' }, now: number): BreakerReport {
  return {
    openForMs: now - breaker.since,
    restsForMs: breaker.until - now,
    openings: breaker.openings,
    failedForMs: now - breaker.failedAt,
  }
}

/** Another node has opened its breaker. A probe in progress here continues. */
export function onReport(breaker: Breaker, report: BreakerReport, now: number): Breaker {
  if (breaker.state === 'half-open') return breaker
  return {
    state: 'open',
    since: now - report.openForMs,
    until: now + report.restsForMs + PEER_PROBE_DELAY_MS,
    openings: report.openings,
    failedAt: now - report.failedForMs,
  }
}

function openBreaker(since: number, openings: number, at: SampledAt): Breaker & { state: 'open' } {
  const { now, random, maxOpenMs = MAX_OPEN_MS } = at
  const longest = Math.min(maxOpenMs, FIRST_OPEN_MS * 2 ** (openings - 1))
  const shortest = Math.min(maxOpenMs, MIN_OPEN_MS)
  const until = now + Math.max(shortest, Math.round(longest * random))
  return { state: 'open', since, until, openings, failedAt: now }
}

function countSample(recent: readonly Bucket[], sample: Sample, now: number): readonly Bucket[] {
  const start = now - (now % BUCKET_MS)
  const failures = sample === 'failed' || sample === 'unconnected' ? 1 : 0
  const throttled = sample === 'throttled' ? 1 : 0
  const last = recent.at(-1)
  if (last?.start === start) {
    const bucket = {
      start,
      samples: last.samples + 1,
      failures: last.failures + failures,
      throttled: last.throttled + throttled,
    }
    return [...recent.slice(0, -1), bucket]
  }
  const inWindow = recent.filter(
    (bucket) => bucket.start > start - WINDOW_MS && bucket.start < start,
  )
  return [...inWindow, { start, samples: 1, failures, throttled }]
}

function isFailing(recent: readonly Bucket[]): boolean {
  let [samples, failures, throttled] = [0, 0, 0]
  for (const bucket of recent) {
    samples += bucket.samples
    failures += bucket.failures
    throttled += bucket.throttled
  }
  if (samples > failures + throttled) samples -= throttled
  else failures += throttled
  return samples >= MIN_SAMPLES && failures >= samples * FAILING_SHARE
}
