import type { Attempt } from '@hookline/protocol'
import { classification } from '../sending/outcome.ts'

/**
 * The attempts per second of a webhook, learned from its responses. `undefined`: no limit. Its states:
 *
 *                            accepted: up to e times as much each second, until 85% of the ceiling
 *                            ┌──────────────────────────────────────────────────────────────────┐
 *                throttled   ▼    throttled: the ceiling is the current pace          accepted  │
 *     unpaced ───────────▶ growing ───────────────────────────────────────▶ falling ────────────┘
 *        ▲                 │ ▲   └─ accepted: 0.7% more each second          │   ▲
 *        │                 └─┘      near and above the ceiling               └───┘ throttled: less, by half the share of
 *        │                                                                         throttled attempts, or by the pause
 *        └─ five minutes without a throttled attempt, more than 1,000 a second, or an open breaker
 *
 * A receiver that responds to a tenth of its requests with 503, however few requests it gets, is faulty, not rate-limited. So
 * after some falls, a trial sends at eight times the pace. If enough is accepted, that pace is kept, and its throttled share is
 * tolerated. Otherwise there is a limit, and the next trial is further off.
 *
 * A pace begins only if the receiver accepts some of the attempts; otherwise the breaker handles it. Growth near the
 * ceiling doubles every 3 s, starting 20 s after a fall, because the limit may have risen. Without `Retry-After`, a tenth
 * of the attempts may be throttled before the pace falls. With it, each throttled attempt costs a pause, so the pace falls every time.
 *
 * Attempts are evenly spaced, because a leaky bucket refuses the second of two that arrive together. Attempts from
 * before the last fall are ignored.
 */
export interface Pace {
  readonly perSecond: number
  /** The pace at which the receiver last began to throttle. */
  readonly ceiling: number
  readonly isFalling: boolean
  /** Moving average of the throttled share. */
  readonly throttledShare: number
  readonly nextAt: number
  readonly begunAt: number
  /** Whether the last attempt began as soon as the pace allowed. If not, its success does not confirm the pace. */
  readonly isBinding: boolean
  readonly fellAt: number
  readonly throttledAt: number
  /** Trials begin only if results alternate: a receiver with a limit per minute accepts all, then none. */
  readonly last: PaceSample
  /** The throttled share that does not lower the pace. */
  readonly toleratedShare: number
  readonly fallsUntilTrial: number
  /** Doubles with each trial that finds a limit. */
  readonly fallsBetweenTrials: number
  readonly trial: Trial | undefined
}

interface Trial {
  readonly attempts: number
  readonly accepted: number
}

/** Accepted attempts in this second and the one before, for the initial pace. */
export interface AcceptedCount {
  readonly second: number
  readonly count: number
  readonly before: number
}

export type PaceSample = 'accepted' | 'throttled'

export interface PacedAttempt {
  readonly sample: PaceSample
  readonly begunAt: number
  readonly now: number
  /** From `Retry-After`; 0 for none. */
  readonly pauseMs: number
}

/** A slower 502 or 503 means a broken receiver, or a proxy that waited for one. */
const IMMEDIATE_MS = 1_000
/** Enough for ten attempts a minute, so the breaker opens for a receiver that throttles every attempt. */
const MIN_PER_SECOND = 0.25
const MAX_PER_SECOND = 1_000
/** How much a result counts in the moving average of the throttled share. */
const WEIGHTS = { throttled: 1 / 16, accepted: 1 / 8 }
/** Up to this throttled share, the pace does not fall. A trial may raise it for its webhook. */
const TOLERATED_SHARE = 0.1
/**
 * The maximum that one accepted attempt adds to the pace, in attempts per second. At a pace of n,
 * one attempt is accepted every 1/n seconds, so the pace grows e-fold each second.
 */
const SEARCH_GROWTH = 1
/**
 * The growth per accepted attempt near the ceiling. It doubles every `DOUBLING_MS` once the pace has not fallen for
 * `STEADY_MS`.
 */
const GROWTH = 0.007
/** Growth is slow from this share of the ceiling. */
const NEAR_CEILING = 0.85
const STEADY_MS = 20_000
const DOUBLING_MS = 3_000
/** After this long without a throttled attempt, a webhook's pace is forgotten. */
const FORGOTTEN_AFTER_MS = 5 * 60_000
/** A receiver that has accepted nothing for this long is broken, and left to the breaker. */
const PARTIAL_ACCEPT_MS = 60_000
/** The fraction by which the pace falls for each second of a pause. */
const FALL_PER_PAUSED_SECOND = 0.1
const MAX_FALL_BY_PAUSE = 0.3
/** The number of falls before a trial. */
const FALLS_UNTIL_TRIAL = 5
/** The pace of a trial, as a multiple of the pace before it. */
const TRIAL_FACTOR = 8
const TRIAL_ATTEMPTS = 32
/**
 * A trial with at least this share accepted shows no limit: a rate-limited receiver accepts about an eighth, because a
 * trial sends at eight times the pace.
 */
const ACCEPTED_IN_TRIAL = 3 / 8
const MAX_TOLERATED_SHARE = 0.5
/** Timers may be late by this much. If attempts are closer together, the next ones catch up. */
const TIMER_MS = 10

export const NONE_ACCEPTED: AcceptedCount = { second: -Infinity, count: 0, before: 0 }

/** Whether the receiver means "slower", not "broken": a 429, or an immediate 503 or 502. */
export function isThrottled({
  class: kind,
  status,
  durationMs,
}: Pick<Attempt, 'class' | 'status' | 'durationMs'>): boolean {
  // The replies of mail servers have other meanings.
  if (kind === 'mail_refused') return false
  return status === 429 || ((status === 503 || status === 502) && durationMs <= IMMEDIATE_MS)
}

/** `undefined` if the result does not depend on the receiver's limit. */
export function paceSampleOf(
  attempt: Pick<Attempt, 'class' | 'status' | 'durationMs'>,
): PaceSample | undefined {
  if (isThrottled(attempt)) return 'throttled'
  const isFailure = classification(attempt.class).outcome === 'retry'
  return isFailure || attempt.status === undefined ? undefined : 'accepted'
}

export function countAccepted(accepted: AcceptedCount, now: number): AcceptedCount {
  const second = Math.floor(now / 1_000)
  const { count } = accepted
  if (second === accepted.second) return { ...accepted, count: count + 1 }
  return { second, count: 1, before: second === accepted.second + 1 ? count : 0 }
}

export function onPacedBegin(pace: Pace, now: number): Pace | undefined {
  if (now - pace.throttledAt >= FORGOTTEN_AFTER_MS) return undefined
  const everyMs = everyMsOf(pace)
  const lateMs = everyMs < TIMER_MS ? TIMER_MS : 0
  const isBinding = now - pace.nextAt <= Math.max(everyMs / 2, TIMER_MS)
  return { ...pace, begunAt: now, isBinding, nextAt: Math.max(pace.nextAt, now - lateMs) + everyMs }
}

/** Spaces the next request from the write of the last attempt, not its start: a leaky bucket counts arrivals. */
export function onPacedWritten(pace: Pace, begunAt: number, now: number): Pace {
  const everyMs = everyMsOf(pace)
  return everyMs < TIMER_MS || begunAt < pace.begunAt || pace.nextAt >= now + everyMs
    ? pace
    : { ...pace, nextAt: now + everyMs }
}

export function onPacedResult(
  pace: Pace | undefined,
  attempt: PacedAttempt,
  accepted: AcceptedCount,
): Pace | undefined {
  const { sample, begunAt, now } = attempt
  if (pace === undefined) {
    const isSlow = sample === 'throttled' && now - accepted.second * 1_000 < PARTIAL_ACCEPT_MS
    return isSlow ? firstPace(accepted, now) : undefined
  }
  const throttledAt = sample === 'throttled' ? now : pace.throttledAt
  if (begunAt <= pace.fellAt) return { ...pace, throttledAt }
  if (pace.trial !== undefined)
    return afterTrialAttempt({ ...pace, throttledAt }, pace.trial, attempt)
  const weight = WEIGHTS[sample]
  const share = pace.throttledShare * (1 - weight) + (sample === 'throttled' ? weight : 0)
  const measured = { ...pace, throttledAt, throttledShare: share }
  const changed =
    sample === 'throttled' ? afterThrottled(measured, attempt) : afterAccepted(measured, now)
  return changed && { ...changed, last: sample }
}

function everyMsOf(pace: Pace): number {
  return 1_000 / (pace.trial === undefined ? pace.perSecond : trialPerSecond(pace))
}

function trialPerSecond({ perSecond }: Pace): number {
  return Math.min(MAX_PER_SECOND, perSecond * TRIAL_FACTOR)
}

function firstPace({ second, count, before }: AcceptedCount, now: number): Pace {
  const age = Math.floor(now / 1_000) - second
  const inLastSecond = age === 0 ? Math.max(count, before) : age === 1 ? count : 0
  const perSecond = Math.min(MAX_PER_SECOND, Math.max(1, inLastSecond))
  return {
    perSecond,
    ceiling: Infinity,
    isFalling: false,
    throttledShare: 0,
    nextAt: now + 1_000 / perSecond,
    begunAt: now,
    isBinding: false,
    fellAt: now,
    throttledAt: now,
    last: 'throttled',
    toleratedShare: TOLERATED_SHARE,
    fallsUntilTrial: FALLS_UNTIL_TRIAL,
    fallsBetweenTrials: FALLS_UNTIL_TRIAL,
    trial: undefined,
  }
}

function afterThrottled(pace: Pace, { now, pauseMs }: PacedAttempt): Pace {
  const { ceiling, isFalling, perSecond, throttledShare, toleratedShare, fallsUntilTrial } = pace
  const isTolerated = throttledShare <= toleratedShare && pauseMs === 0 && ceiling < Infinity
  if (isTolerated) return pace
  if (fallsUntilTrial <= 0 && pace.last === 'accepted' && pauseMs === 0) {
    const trial = { attempts: 0, accepted: 0 }
    return { ...pace, trial, fellAt: now, nextAt: now + 1_000 / trialPerSecond(pace) }
  }
  const byPause = Math.min(MAX_FALL_BY_PAUSE, (pauseMs / 1_000) * FALL_PER_PAUSED_SECOND)
  const share = Math.max(throttledShare / 2, byPause)
  return {
    ...pace,
    perSecond: Math.max(MIN_PER_SECOND, perSecond * (1 - share)),
    ceiling: isFalling ? ceiling : perSecond,
    isFalling: true,
    fellAt: now,
    fallsUntilTrial: pauseMs === 0 ? fallsUntilTrial - 1 : FALLS_UNTIL_TRIAL,
  }
}

function afterTrialAttempt(pace: Pace, trial: Trial, { sample, now }: PacedAttempt): Pace {
  const attempts = trial.attempts + 1
  const accepted = trial.accepted + (sample === 'accepted' ? 1 : 0)
  if (attempts < TRIAL_ATTEMPTS) return { ...pace, trial: { ...trial, attempts, accepted } }
  const ended = { ...pace, last: sample, trial: undefined, fellAt: now }
  if (accepted < attempts * ACCEPTED_IN_TRIAL) {
    const falls = pace.fallsBetweenTrials * 2
    const nextAt = now + 1_000 / pace.perSecond
    return { ...ended, nextAt, fallsUntilTrial: falls, fallsBetweenTrials: falls }
  }
  const throttledShare = 1 - accepted / attempts
  return {
    ...ended,
    perSecond: trialPerSecond(pace),
    ceiling: MAX_PER_SECOND,
    isFalling: false,
    toleratedShare: Math.min(MAX_TOLERATED_SHARE, throttledShare + TOLERATED_SHARE),
    fallsUntilTrial: FALLS_UNTIL_TRIAL,
    fallsBetweenTrials: FALLS_UNTIL_TRIAL,
  }
}

function afterAccepted(pace: Pace, now: number): Pace | undefined {
  const { ceiling, fellAt, isBinding, perSecond } = pace
  if (!isBinding) return pace
  const near = ceiling * NEAR_CEILING
  const steadyMs = Math.max(0, now - fellAt - STEADY_MS)
  const growth = Math.min(SEARCH_GROWTH, GROWTH * 2 ** (steadyMs / DOUBLING_MS))
  const next =
    perSecond < near
      ? Math.min(near, perSecond + Math.min(perSecond, SEARCH_GROWTH))
      : perSecond + Math.min(perSecond, growth)
  return next > MAX_PER_SECOND ? undefined : { ...pace, perSecond: next, isFalling: false }
}
