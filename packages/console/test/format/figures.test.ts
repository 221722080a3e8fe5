import { describe, expect, test } from 'vitest'
import { bytes, countText, duration, percent, rate, shortNumber } from '../../src/format/figures.ts'
import { absoluteTime, dueTime, relativeTime } from '../../src/format/times.ts'

describe('figures', () => {
  test.for([
    [0, 10, '0%'],
    [10, 10, '100%'],
    [99_999, 100_000, '99.99%'],
    [999_999_999, 1_000_000_000, '99.99%'],
    [1, 3, '33.3%'],
    [0, 0, '–'],
  ] as const)('%d of %d is %s: never 100%% while something is missing', ([part, whole, text]) => {
    expect(percent(part, whole)).toBe(text)
  })

  test.for([
    [0.4, '< 1 ms'],
    [840.4, '840 ms'],
    [1_234, '1.2 s'],
    [180_000, '3 min'],
    [5_400_000, '1.5 h'],
    [345_600_000, '4 d'],
  ] as const)('%d ms is shown as %s', ([ms, text]) => {
    expect(duration(ms)).toBe(text)
  })

  test.for([
    [0, '0 B'],
    [999, '999 B'],
    [1_500_000, '1.5 MB'],
    [3.2e15, '3,200 TB'],
  ] as const)('%d bytes are shown as %s', ([value, text]) => {
    expect(bytes(value)).toBe(text)
  })

  test.for([
    [0, '0 / s'],
    [0.25, '15 / min'],
    [8, '8 / s'],
  ] as const)('%d per second is shown as %s', ([perSecond, text]) => {
    expect(rate(perSecond)).toBe(text)
  })

  test('large counts are abbreviated, and nouns agree with counts', () => {
    expect([9_999, 1_234_567].map(shortNumber)).toEqual(['9,999', '1.23M'])
    expect([0, 1, 2].map((count) => countText(count, 'event'))).toEqual([
      '0 events',
      '1 event',
      '2 events',
    ])
  })
})

describe('times', () => {
  const now = Date.parse('2026-11-23T12:00:00.000Z')

  test.for([
    [0, 'now'],
    [-999, 'now'],
    [2_999, 'now'],
    [3_000, 'in 3 s'],
    [-12_000, '12 s ago'],
    [180_000, 'in 3 min'],
    [86_399_000, 'in 24 h'],
    [-86_399_000, '23 h ago'],
    [-7_200_000, '2 h ago'],
    [-172_800_000, '2 d ago'],
  ] as const)('%d ms from now are shown as %s', ([apart, text]) => {
    expect(relativeTime(now + apart, now)).toBe(text)
  })

  test.for([
    [180_000, 'in 3 min'],
    [2_000, 'due now'],
    [0, 'due now'],
    [-180_000, 'due now'],
  ] as const)('a planned time %d ms from now is shown as %s, never as past', ([apart, text]) => {
    expect(dueTime(now + apart, now)).toBe(text)
  })

  test('are exact in UTC, and an invalid time is shown as such', () => {
    expect(absoluteTime(now, 'utc')).toBe('2026-11-23 12:00:00.000 UTC')
    expect(absoluteTime(Number.NaN, 'utc')).toBe('no time')
  })
})
