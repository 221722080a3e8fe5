import { describe, expect, it } from 'vitest'
import { formatTimeSpan, parseTimeSpan } from '../src/time-span.ts'

describe('a time span', () => {
  it.for([
    ['250ms', 250],
    ['90s', 90_000],
    ['5m', 300_000],
    ['4h', 14_400_000],
    ['7d', 604_800_000],
    ['2w', 1_209_600_000],
    ['1h30m', 5_400_000],
    ['1m500ms', 60_500],
    ['0s', 0],
  ] as const)('%s is %d ms', ([text, ms]) => {
    expect(parseTimeSpan(text)).toBe(ms)
  })

  it.for(['', '7', 'd', '-1s', '1.5h', '7 d', '7days', '7D', '1h 30m', '999999999999999w'])(
    '%j is invalid',
    (text) => {
      expect(parseTimeSpan(text)).toBeUndefined()
    },
  )

  it.for([
    [0, '0s'],
    [1500, '1500ms'],
    [90_000, '90s'],
    [14_400_000, '4h'],
    [604_800_000, '7d'],
    [604_740_000, '6d23h59m'],
    [86_399_000, '23h59m59s'],
    [61_001, '1m1s1ms'],
    [3_600_000_000_000, '41666d16h'],
  ] as const)('of %d ms is written as %s, and read back', ([ms, text]) => {
    expect([formatTimeSpan(ms), parseTimeSpan(text)]).toEqual([text, ms])
  })
})
