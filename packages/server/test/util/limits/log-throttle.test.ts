import { expect, test } from 'vitest'
import { LogThrottle } from '../../../src/util/limits/log-throttle.ts'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'

test('any number of keys log at most 100 lines in an interval', () => {
  const clock = new ManualClock()
  const throttle = new LogThrottle(clock, 60_000)
  const linesOf = (prefix: string): number => {
    const counts = Array.from({ length: 5_000 }, (_, index) => throttle.count(`${prefix}${index}`))
    return counts.filter((count) => count > 0).length
  }
  expect(linesOf('a')).toBe(100)
  clock.advance(59_999)
  expect(linesOf('b')).toBe(0)
  clock.advance(1)
  expect(linesOf('c')).toBe(100)
})

test('a key beyond the limit of an interval reports its whole count in the next one', () => {
  const clock = new ManualClock()
  const throttle = new LogThrottle(clock, 60_000)
  for (let key = 0; key < 100; key++) throttle.count(`key ${key}`)
  expect(throttle.count('late', 3)).toBe(0)
  clock.advance(60_000)
  expect(throttle.count('late', 2)).toBe(5)
})
