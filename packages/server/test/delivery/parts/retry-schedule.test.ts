import { LIMITS } from '@hookline/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  nextAttemptAt,
  type RetrySchedule,
  scheduleFor,
} from '../../../src/delivery/parts/parts.ts'

const HOUR = 60 * 60 * 1000
const fourHours: RetrySchedule = { windowMs: 4 * HOUR }

/** The times of all attempts to a webhook that always fails immediately. The first attempt is at 0. */
function attemptsOf(schedule: RetrySchedule, random: () => number): number[] {
  const times = [0]
  for (let number = 1; number < 1000; number++) {
    const now = times.at(-1)!
    const next = nextAttemptAt(schedule, { number, firstDueAt: 0, now, random: random() })
    if (next === undefined) break
    times.push(next)
  }
  return times
}

describe('the retry schedule', () => {
  test('waits for 5 s, then three times as long each time, up to 30 min', () => {
    const times = attemptsOf(fourHours, () => 0.5)
    const waits = times.slice(1, 9).map((at, index) => (at - times[index]!) / 1000)
    expect(waits).toEqual([5, 15, 45, 135, 405, 1215, 1800, 1800])
  })

  test('varies each wait by up to a quarter', () => {
    const wait = (random: number): number | undefined =>
      nextAttemptAt(fourHours, { number: 3, firstDueAt: 0, now: 0, random })
    expect([wait(0), wait(0.5), wait(1)]).toEqual([33_750, 45_000, 56_250])
  })

  test('includes a last attempt within the final minute of the window, and none after it', () => {
    const run = fc.property(fc.integer(), (seed) => {
      const random = fc.sample(fc.double({ min: 0, max: 0.999, noNaN: true }), {
        seed,
        numRuns: 40,
      })
      const times = attemptsOf(fourHours, () => random.shift() ?? 0.5)
      expect(times.at(-1)).toBeGreaterThanOrEqual(4 * HOUR - 60_000)
      expect(times.at(-1)).toBeLessThanOrEqual(4 * HOUR)
      expect(times.slice(1).every((at, index) => at > times[index]!)).toBe(true)
      expect(times.length).toBeLessThan(20)
    })
    fc.assert(run)
  })

  test('includes a last attempt within the final tenth of a window shorter than ten minutes', () => {
    for (const random of [0, 0.5, 0.999]) {
      const times = attemptsOf({ windowMs: 1_500, delaysMs: [100, 300] }, () => random)
      expect(times.at(-1)).toBeGreaterThanOrEqual(1_350)
      expect(times.at(-1)).toBeLessThanOrEqual(1_500)
    }
  })

  test('uses configured delays instead of exponential ones, and repeats the last one until the window ends', () => {
    const schedule = { windowMs: 1000, delaysMs: [100, 200] }
    expect(attemptsOf(schedule, () => 0)).toEqual([0, 100, 300, 500, 700, 900])
  })

  test('varies the delays of a webhook by up to a quarter', () => {
    const schedule = { windowMs: HOUR, delaysMs: [4_000, 400_000], isOwn: true }
    expect(attemptsOf(schedule, () => 0).slice(0, 3)).toEqual([0, 3_000, 303_000])
    expect(attemptsOf(schedule, () => 1).slice(0, 3)).toEqual([0, 5_000, 505_000])
  })

  test('repeats the last delay of a webhook at most 500 times, even in the window of a notice', () => {
    const limits = { retryScheduleMs: [1_000, 2_000] }
    for (const windowMs of [4 * HOUR, 7 * 24 * HOUR]) {
      const times = attemptsOf(scheduleFor({ windowMs }, limits), () => 0.5)
      expect(times.slice(0, 3)).toEqual([0, 1_000, 3_000])
      expect(times[3]! - times[2]!).toBe(windowMs / LIMITS.repeatsOfLastDelay)
      expect(times.length).toBeLessThanOrEqual(LIMITS.repeatsOfLastDelay + 3)
    }
  })

  test('never retries before the end of Retry-After', () => {
    const now = 1000
    const failed = { number: 1, firstDueAt: 0, now, retryAfterMs: HOUR, random: 0.5 }
    expect(nextAttemptAt(fourHours, failed)).toBe(now + HOUR)
    expect(nextAttemptAt({ windowMs: HOUR }, failed)).toBeUndefined()
  })

  test('does not retry with a window of 0', () => {
    expect(attemptsOf({ windowMs: 0 }, () => 0.5)).toEqual([0])
  })
})
