import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ReplayRate } from '../../../src/delivery/replays/replay-rate.ts'

describe('the rate of a replay', () => {
  test('allows a number of deliveries in a second, and says after which time it allows more', () => {
    const rate = new ReplayRate(10)
    expect(rate.allowance(0)).toBe(10)
    rate.use(10)
    expect([rate.allowance(300), rate.waitMs(300)]).toEqual([0, 700])
    expect([rate.allowance(1000), rate.waitMs(1000)]).toEqual([10, 0])
  })

  test('does not wait for a clock that was set back', () => {
    const rate = new ReplayRate(10)
    rate.allowance(1_000_000)
    rate.use(10)
    expect(rate.waitMs(5)).toBe(0)
  })

  test('is never exceeded, whenever the allowance is used', () => {
    const gap = fc.integer({ min: 0, max: 3000 })
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.array(gap, { maxLength: 50 }),
        (most, gaps) => {
          const rate = new ReplayRate(most)
          let now = 0
          let made = 0
          for (const ms of gaps) {
            now += ms
            const allowed = rate.allowance(now)
            rate.use(allowed)
            made += allowed
          }
          expect(made).toBeLessThanOrEqual(most * (1 + Math.floor(now / 1000)))
        },
      ),
    )
  })
})
