import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { RETRY_AFTER_FORMATS } from '@hookline/testing/records/retry-after-formats'
import { retryAfter } from '../../../src/delivery/sending/outcome.ts'

const NOW = Date.UTC(2026, 10, 21, 9, 30, 0)
const HOUR = 3_600_000

describe('Retry-After', () => {
  test.each(RETRY_AFTER_FORMATS.read)(
    '%j means %d s, but at least 1 s and at most 1 h',
    (header, seconds) => {
      const ms = Math.min(Math.max(seconds * 1000, 1000), HOUR)
      expect(retryAfter(429, header, Date.parse(RETRY_AFTER_FORMATS.now))).toBe(ms)
    },
  )

  test.each(RETRY_AFTER_FORMATS.refused)('%j means no delay', (header) => {
    expect(retryAfter(429, header, Date.parse(RETRY_AFTER_FORMATS.now))).toBeUndefined()
  })

  test.each(['3601', '9'.repeat(400), 'Fri, 31 Dec 9999 23:59:59 GMT'])(
    '%j means an hour',
    (header) => {
      expect(retryAfter(429, header, NOW)).toBe(HOUR)
    },
  )

  test('is honoured only for 408, 425, 429, 502 and 503', () => {
    const honoured = Array.from({ length: 600 }, (_, status) => status).filter(
      (status) => retryAfter(status, '10', NOW) !== undefined,
    )
    expect(honoured).toEqual([408, 425, 429, 502, 503])
    expect(retryAfter(429, undefined, NOW)).toBeUndefined()
  })

  test('is between a second and an hour, for any header', () => {
    const headers = fc.oneof(
      fc.string(),
      fc.bigInt().map(String),
      fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
    )
    fc.assert(
      fc.property(headers, fc.integer({ min: 0, max: 4e12 }), (header, now) => {
        const ms = retryAfter(503, header, now)
        return ms === undefined || (ms >= 1000 && ms <= HOUR)
      }),
    )
  })

  test('is read as seconds or as a date', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3600 }), (seconds) => {
        expect(retryAfter(429, String(seconds), NOW)).toBe(seconds * 1000)
        const date = new Date(NOW + seconds * 1000).toUTCString()
        expect(retryAfter(429, date, NOW)).toBe(seconds * 1000)
      }),
    )
  })
})
