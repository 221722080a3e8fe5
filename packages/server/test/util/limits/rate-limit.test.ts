import type { Source } from '@hookline/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { RateLimit } from '../../../src/util/limits/rate-limit.ts'
import { ManualClock } from '../../harness/manual-clock.ts'

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
  test('does not limit a source without one', () => {
    expect(new RateLimit(new ManualClock()).take(source(null), 1_000_000)).toBe(0)
  })

  test('passes the calls of one second, and then returns how long to wait', () => {
    const clock = new ManualClock()
    const limit = new RateLimit(clock)
    for (let call = 0; call < 10; call++) expect(limit.take(source(10), 1)).toBe(0)
    expect(limit.take(source(10), 1)).toBe(1)
    clock.advance(1_000)
    expect(limit.take(source(10), 1)).toBe(0)
  })

  test('passes exactly its number of calls per second in the long run', () => {
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

  test('passes a source that waited as long as it returned', () => {
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
})
