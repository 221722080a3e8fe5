import type { Source } from '@hookline/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { RateLimit } from '../../../src/util/limits/rate-limit.ts'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'

const source = (rateLimit: number | null, id = 'src_a'): Source => ({
  id,
  name: 'a',
  enabled: true,
  rateLimit,
  writeKeys: [],
  createdAt: 0,
  updatedAt: 0,
  version: 1,
})

describe('the rate limit', () => {
  test('does not apply to a source without a limit', () => {
    expect(new RateLimit(new ManualClock()).take(source(null), 1_000_000)).toBe(0)
  })

  test("passes one second's worth of calls, then returns how long to wait", () => {
    const clock = new ManualClock()
    const limit = new RateLimit(clock)
    for (let call = 0; call < 10; call++) expect(limit.take(source(10), 1)).toBe(0)
    expect(limit.take(source(10), 1)).toBe(1)
    clock.advance(1_000)
    expect(limit.take(source(10), 1)).toBe(0)
  })

  test('passes its number of calls per second in the long run', () => {
    const clock = new ManualClock()
    const limit = new RateLimit(clock)
    let passed = 0
    for (let ms = 0; ms < 20_000; ms += 7) {
      if (limit.take(source(10), 1) === 0) passed += 1
      clock.advance(7)
    }
    expect(passed).toBeGreaterThanOrEqual(200)
    expect(passed).toBeLessThanOrEqual(211)
  })

  test('passes a batch larger than the bucket once, and then requires a longer wait', () => {
    const clock = new ManualClock()
    const limit = new RateLimit(clock)
    expect(limit.take(source(10), 45)).toBe(0)
    expect(limit.take(source(10), 1)).toBe(4)
    clock.advance(3_500)
    expect(limit.take(source(10), 1)).toBe(1)
    clock.advance(1_000)
    expect(limit.take(source(10), 1)).toBe(0)
  })

  test('limits each source separately', () => {
    const limit = new RateLimit(new ManualClock())
    expect(limit.take(source(1, 'src_a'), 5)).toBe(0)
    expect(limit.take(source(1, 'src_b'), 5)).toBe(0)
    expect(limit.take(source(1, 'src_a'), 1)).toBeGreaterThan(0)
  })

  test('passes nothing for a source with a limit of 0, and returns the longest wait', () => {
    expect(new RateLimit(new ManualClock()).take(source(0), 1)).toBe(3_600)
  })

  test('passes a source that has waited as long as required', () => {
    const waits = fc.array(fc.record({ calls: fc.nat(500), pauseMs: fc.nat(3_000) }))
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), waits, (rate, steps) => {
        const clock = new ManualClock()
        const limit = new RateLimit(clock)
        for (const { calls, pauseMs } of steps) {
          clock.advance(pauseMs)
          const seconds = limit.take(source(rate), calls)
          if (seconds === 0) continue
          expect(Number.isInteger(seconds)).toBe(true)
          clock.advance(seconds * 1_000)
          expect(limit.take(source(rate), calls)).toBe(0)
        }
      }),
    )
  })

  /** A token bucket in thousandths of a token, to avoid rounding. */
  class Bucket {
    #thousandths: number
    #filledAt: number
    readonly #rate: number
    readonly #capacity: number

    constructor(rate: number, burstSeconds: number, now: number) {
      this.#rate = rate
      this.#capacity = rate * burstSeconds * 1_000
      this.#thousandths = this.#capacity
      this.#filledAt = now
    }

    take(amount: number, now: number): number {
      const filled = this.#thousandths + (now - this.#filledAt) * this.#rate
      this.#thousandths = Math.min(filled, this.#capacity)
      this.#filledAt = now
      if (this.#thousandths <= 0) {
        return Math.min(Math.floor(-this.#thousandths / 1_000 / this.#rate) + 1, 3_600)
      }
      this.#thousandths -= amount * 1_000
      return 0
    }
  }

  test('behaves like a token bucket', () => {
    // For other rates, the seconds per token are not finite in binary.
    const rates = fc.constantFrom(1, 2, 4, 5, 8, 10, 20, 25, 40, 50, 100, 250, 1_000)
    const step = fc.record({ calls: fc.nat(500), pauseMs: fc.nat(3_000) })
    const steps = fc.array(step, { maxLength: 200 })
    fc.assert(
      fc.property(rates, fc.integer({ min: 1, max: 60 }), steps, (rate, burstSeconds, requests) => {
        const clock = new ManualClock()
        const limit = new RateLimit(clock, { burstSeconds })
        const bucket = new Bucket(rate, burstSeconds, clock.now())
        for (const { calls, pauseMs } of requests) {
          clock.advance(pauseMs)
          expect(limit.take(source(rate), calls)).toBe(bucket.take(calls, clock.now()))
        }
      }),
    )
  })

  test.each([3, 7, 30_000, 999_983])('passes %i calls per second for an hour', (rate) => {
    const clock = new ManualClock()
    const limit = new RateLimit(clock)
    const calls = Math.ceil(rate / 100)
    let passed = 0
    for (let ms = 0; ms < 3_600_000; ms += 5) {
      while (limit.take(source(rate), calls) === 0) passed += calls
      clock.advance(5)
    }
    expect(Math.abs(passed - 3_601 * rate)).toBeLessThanOrEqual(calls + rate / 100)
  })
})
