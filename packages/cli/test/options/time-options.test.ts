import { describe, expect, it } from 'vitest'
import { futureTime, pastTime, wholeHours } from '../../src/options/time-options.ts'

const NOW = Date.parse('2026-07-01T12:00:00.000Z')

describe('a time option', () => {
  it.for([
    ['1h', '2026-07-01T11:00:00.000Z'],
    ['7d', '2026-06-24T12:00:00.000Z'],
    ['1h30m', '2026-07-01T10:30:00.000Z'],
    ['2026-06-30', '2026-06-30T00:00:00.000Z'],
    ['2026-06-30T10:00:00+02:00', '2026-06-30T08:00:00.000Z'],
  ] as const)('in the past may be %s', ([text, time]) => {
    expect(pastTime(text, NOW)).toBe(time)
  })

  it('in the future may be a duration or a date', () => {
    expect(futureTime('30d', NOW)).toBe('2026-07-31T12:00:00.000Z')
    expect(futureTime('2027-01-01', NOW)).toBe('2027-01-01T00:00:00.000Z')
  })

  it.for(['', '1', 'yesterday', '2026-13-01', '99999999d', '1 h'])('is refused as %j', (text) => {
    expect(() => pastTime(text, NOW)).toThrow(
      'Use ISO 8601, like 2026-11-21T09:30:00Z, or a duration before now',
    )
    expect(() => futureTime(text, NOW)).toThrow('or a duration from now, like 12h or 30d')
  })

  it('in whole hours may be a number or a duration', () => {
    expect(['24', '24h', '2d', '0'].map(wholeHours)).toEqual([24, 24, 48, 0])
    expect(() => wholeHours('90m')).toThrow('whole hours, like 24h or 2d')
  })
})
