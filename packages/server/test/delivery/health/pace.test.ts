import { describe, expect, test } from 'vitest'
import { SEED } from '@hookline/testing/run/seed'
import { seededRandom } from '@hookline/testing/run/seeded-random'
import {
  countAccepted,
  isThrottled,
  NONE_ACCEPTED,
  onPacedBegin,
  onPacedResult,
  onPacedWritten,
  type Pace,
} from '../../../src/delivery/health/pace.ts'

type Limiter = (now: number) => boolean

const MINUTE = 60_000
const CONCURRENCY = 64

function tokenBucket(perSecond: number): Limiter {
  const size = Math.max(1, perSecond)
  let tokens = size
  let filledAt = 0
  return (now) => {
    tokens = Math.min(size, tokens + ((now - filledAt) / 1_000) * perSecond)
    filledAt = now
    if (tokens < 1) return false
    tokens -= 1
    return true
  }
}

function leakyBucket(perSecond: number): Limiter {
  let acceptedAt = -Infinity
  return (now) => {
    if (now - acceptedAt < 1_000 / perSecond) return false
    acceptedAt = now
    return true
  }
}

/** A receiver whose limit resets each minute. */
function minuteWindow(perSecond: number): Limiter {
  let [minute, count] = [-1, 0]
  return (now) => {
    if (Math.floor(now / MINUTE) !== minute) [minute, count] = [Math.floor(now / MINUTE), 0]
    return ++count <= perSecond * 60
  }
}

interface Options {
  readonly latencyMs: number
  readonly pauseMs: number
  readonly minutes?: number
}

/** A lane with a constant backlog, and the requests its receiver got, in steps of a millisecond. */
class BusyLane {
  pace: Pace | undefined
  requests = 0
  readonly accepted: number[] = []
  #counted = NONE_ACCEPTED
  #pausedUntil = 0
  readonly #accepts: Limiter
  readonly #options: Options
  readonly #inFlight: { readonly begunAt: number; readonly isAccepted: boolean }[] = []

  constructor(accepts: Limiter, options: Options) {
    this.#accepts = accepts
    this.#options = options
  }

  step(now: number): void {
    while ((this.#inFlight[0]?.begunAt ?? Infinity) + this.#options.latencyMs <= now) this.#end(now)
    const mayBegin = (): boolean => now >= Math.max(this.#pausedUntil, this.pace?.nextAt ?? 0)
    while (this.#inFlight.length < CONCURRENCY && mayBegin()) this.#begin(now)
  }

  #begin(now: number): void {
    this.pace = this.pace && onPacedBegin(this.pace, now)
    const isAccepted = this.#accepts(now)
    this.requests++
    const minute = Math.floor(now / MINUTE)
    if (isAccepted) this.accepted[minute] = (this.accepted[minute] ?? 0) + 1
    this.#inFlight.push({ begunAt: now, isAccepted })
  }

  #end(now: number): void {
    const { begunAt, isAccepted } = this.#inFlight.shift()!
    const sample = isAccepted ? 'accepted' : 'throttled'
    const pauseMs = isAccepted ? 0 : this.#options.pauseMs
    this.pace = onPacedResult(this.pace, { sample, begunAt, now, pauseMs }, this.#counted)
    if (isAccepted) this.#counted = countAccepted(this.#counted, now)
    if (pauseMs > 0) this.#pausedUntil = Math.max(this.#pausedUntil, now + pauseMs)
  }
}

function run(accepts: Limiter, options: Options): BusyLane {
  const lane = new BusyLane(accepts, options)
  for (let now = 0; now < (options.minutes ?? 2) * MINUTE; now++) lane.step(now)
  return lane
}

/**
 * Runs nine lanes for five minutes, each with its own seed. Bad timing slows a few lanes in a thousand down for
 * minutes, so only the median is tested.
 */
function runOften(limiter: (random: () => number) => Limiter): BusyLane[] {
  const random = seededRandom(SEED)
  const seeds = Array.from({ length: 9 }, () => Math.floor(random() * 1_000_000))
  const options = { latencyMs: 5, pauseMs: 0, minutes: 5 }
  return seeds.map((seed) => run(limiter(seededRandom(seed)), options))
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
}

describe.each([1, 2, 10, 50])('a receiver with a limit of %d per second', (perSecond) => {
  describe.each([
    ['a token bucket', tokenBucket],
    ['a leaky bucket', leakyBucket],
    ['a count for each minute', minuteWindow],
  ] as const)('enforced by %s', (_name, limiter) => {
    test.each([
      { latencyMs: 2, pauseMs: 0 },
      { latencyMs: 150, pauseMs: 0 },
      { latencyMs: 2, pauseMs: 1_000 },
      { latencyMs: 150, pauseMs: 1_000 },
    ])(
      'accepts at least 80%% of its limit in the second minute, and at most four requests are sent for each accepted one: %o',
      (options) => {
        const { accepted, requests } = run(limiter(perSecond), options)
        expect(accepted[1]! / (perSecond * 60)).toBeGreaterThanOrEqual(0.8)
        expect(requests / (accepted[0]! + accepted[1]!)).toBeLessThanOrEqual(4)
      },
    )
  })
})

describe('a pace', () => {
  const begun = (now = 0): Pace =>
    onPacedResult(
      undefined,
      { sample: 'throttled', begunAt: now, now, pauseMs: 0 },
      countAccepted(NONE_ACCEPTED, now),
    )!
  const options = { latencyMs: 5, pauseMs: 0 }

  test('does not exist before the first throttled attempt', () => {
    const accepted = { sample: 'accepted', begunAt: 0, now: 1, pauseMs: 0 } as const
    expect(onPacedResult(undefined, accepted, NONE_ACCEPTED)).toBeUndefined()
  })

  test('does not exist for a receiver that has accepted nothing within a minute', () => {
    const throttled = { sample: 'throttled', begunAt: 0, now: MINUTE, pauseMs: 0 } as const
    expect(onPacedResult(undefined, throttled, NONE_ACCEPTED)).toBeUndefined()
    expect(onPacedResult(undefined, throttled, countAccepted(NONE_ACCEPTED, 0))).toBeUndefined()
    expect(onPacedResult(undefined, throttled, countAccepted(NONE_ACCEPTED, 1_000))).toBeDefined()
  })

  test('begins with the number accepted in the last second', () => {
    let counted = NONE_ACCEPTED
    for (let index = 0; index < 40; index++) counted = countAccepted(counted, 1_000 + index * 20)
    const throttled = { sample: 'throttled', begunAt: 0, now: 2_100, pauseMs: 0 } as const
    expect(onPacedResult(undefined, throttled, counted)?.perSecond).toBe(40)
    expect(onPacedResult(undefined, { ...throttled, now: 9_000 }, counted)?.perSecond).toBe(1)
  })

  test('is at least one attempt every four seconds, however long a receiver throttles everything', () => {
    const { pace, requests } = run((now) => now < 500, { ...options, minutes: 10 })
    expect(pace?.perSecond).toBe(0.25)
    expect(requests - 500 * CONCURRENCY).toBeLessThan(CONCURRENCY + 300)
  })

  test('recovers within a minute after a receiver has throttled everything for minutes', () => {
    const bucket = tokenBucket(50)
    const { accepted } = run((now) => (now < 500 || now > 3 * MINUTE) && bucket(now), {
      ...options,
      minutes: 5,
    })
    expect(accepted[4]! / (50 * 60)).toBeGreaterThan(0.8)
  })

  test('follows a receiver whose limit grows or shrinks by a factor of ten', () => {
    const [slow, fast] = [leakyBucket(5), leakyBucket(50)]
    const more = run((now) => (now < 2 * MINUTE ? slow : fast)(now), { ...options, minutes: 5 })
    expect(more.accepted[4]! / (50 * 60)).toBeGreaterThan(0.8)
    const less = run((now) => (now < 2 * MINUTE ? fast : slow)(now), { ...options, minutes: 5 })
    expect(less.accepted[3]! / (5 * 60)).toBeGreaterThan(0.8)
  })

  test('is not slowed down by a receiver that throttles one in fifty attempts at any pace', () => {
    let count = 0
    const { accepted } = run(() => ++count % 50 !== 0, options)
    expect(accepted[1]! / 60).toBeGreaterThan(500)
  })

  test.each([
    [5, 300],
    [10, 400],
    [20, 200],
    [30, 75],
  ])(
    'does not stay low for a receiver that throttles %d%% of the attempts at any pace',
    (percent, min) => {
      const lanes = runOften((random) => () => random() * 100 >= percent)
      const perSecond = lanes.map(({ accepted }) => accepted[4]! / 60)
      expect(median(perSecond)).toBeGreaterThan(min)
    },
  )

  test('follows a limit even if some attempts are throttled at any pace', () => {
    const lanes = runOften((random) => {
      const bucket = tokenBucket(50)
      return (now) => random() >= 0.1 && bucket(now)
    })
    const shares = lanes.map(({ accepted }) => accepted[4]! / (50 * 60))
    const requests = lanes.map((lane) => lane.requests / lane.accepted.reduce((a, b) => a + b))
    expect(median(shares)).toBeGreaterThan(0.6)
    expect(median(requests)).toBeLessThan(2.5)
  })

  test('is dropped after five minutes without a throttled attempt', () => {
    expect(onPacedBegin(begun(), 5 * MINUTE - 1)).toBeDefined()
    expect(onPacedBegin(begun(), 5 * MINUTE)).toBeUndefined()
  })

  test('is measured from the time when the previous request was written', () => {
    const pace = onPacedBegin(begun(), 5_000)!
    expect(pace.nextAt).toBe(6_000)
    expect(onPacedWritten(pace, 5_000, 5_030).nextAt).toBe(6_030)
    expect(onPacedWritten(onPacedWritten(pace, 5_000, 5_030), 5_000, 5_010).nextAt).toBe(6_030)
    // An attempt that began earlier has waited for its connection.
    expect(onPacedWritten(pace, 4_000, 5_900).nextAt).toBe(6_000)
    const fast = { ...pace, perSecond: 200 }
    expect(onPacedWritten(fast, 5_000, 5_999).nextAt).toBe(6_000)
  })

  test('does not grow while fewer requests are sent than it permits', () => {
    let pace: Pace | undefined = begun()
    for (let now = 5_000; now < 4 * MINUTE; now += 5_000) {
      pace = pace && onPacedBegin(pace, now)
      const sample = { sample: 'accepted', begunAt: now, now: now + 5, pauseMs: 0 } as const
      pace = onPacedResult(pace, sample, NONE_ACCEPTED)
    }
    expect(pace?.perSecond).toBe(1)
  })
})

test('a 429 counts as throttled, as does a 502 or 503 within a second', () => {
  const throttled = (status: number, durationMs: number) =>
    isThrottled({ class: 'http_5xx', status, durationMs })
  expect(throttled(429, 4_000)).toBe(true)
  expect([502, 503].map((status) => throttled(status, 900))).toEqual([true, true])
  expect(throttled(503, 1_100)).toBe(false)
  expect([500, 504, 408].some((status) => throttled(status, 1))).toBe(false)
})

test('a 503 reply from a mail server does not count as throttled', () => {
  expect(isThrottled({ class: 'mail_refused', status: 503, durationMs: 1 })).toBe(false)
})
