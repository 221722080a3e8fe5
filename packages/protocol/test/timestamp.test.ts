import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { TIMESTAMP_FORMATS } from '@hookline/testing/records/timestamp-formats'
import { formatTimestamp, isFormattedTimestamp, parseTimestamp } from '../src/index.ts'

describe('a client timestamp', () => {
  test.for<[unknown, string]>([
    ...TIMESTAMP_FORMATS.read,
    [1_763_681_114, '2025-11-20T23:25:14.000Z'],
    [1_763_681_114.25, '2025-11-20T23:25:14.250Z'],
    [1_763_681_114_123, '2025-11-20T23:25:14.123Z'],
    [0, '1970-01-01T00:00:00.000Z'],
  ])('%s is valid', ([input, expected]) => {
    expect(formatTimestamp(parseTimestamp(input)!)).toBe(expected)
  })

  test.for<unknown>([
    ...TIMESTAMP_FORMATS.refused,
    '',
    Number.NaN,
    Infinity,
    1e300,
    null,
    {},
    true,
    undefined,
  ])('%s is invalid', (input) => {
    expect(parseTimestamp(input)).toBeUndefined()
  })

  test('written by Hookline is read as the same time', () => {
    const instant = fc.integer({
      min: Date.parse('0000-01-01'),
      max: Date.parse('9999-12-31T23:59:59.999Z'),
    })
    fc.assert(fc.property(instant, (ms) => parseTimestamp(formatTimestamp(ms)) === ms))
  })

  test('in the written format is valid and is written unchanged', () => {
    const digits = (count: number) =>
      fc.string({
        unit: fc.constantFrom(...'0123456789'.split('')),
        minLength: count,
        maxLength: count,
      })
    const nearly = fc
      .tuple(digits(4), digits(2), digits(2), digits(2), digits(2), digits(2), digits(3))
      .map(([year, month, day, hour, minute, second, ms]) => {
        return `${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`
      })
    const moment = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) })
    const text = fc.oneof(
      nearly,
      moment.map((date) => date.toISOString()),
    )
    let known = 0
    fc.assert(
      fc.property(text, (input) => {
        if (!isFormattedTimestamp(input)) return
        known++
        expect(formatTimestamp(parseTimestamp(input)!)).toBe(input)
      }),
      { numRuns: 2_000 },
    )
    expect(known).toBeGreaterThan(500)
  })

  test.for(['2026-02-28', '2026-02-29', '2026-02-30', '2026-04-31', '2026-12-31'])(
    'of %s is the same time, whether or not the fast path applies',
    (day) => {
      const ms = parseTimestamp(`${day}T00:00:00.000Z`)
      expect(ms).toBe(parseTimestamp(`${day}T00:00:00.000+00:00`))
    },
  )
})
