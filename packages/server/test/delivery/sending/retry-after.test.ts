import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { retryAfter } from '../../../src/delivery/sending/retry-after.ts'

const NOW = Date.UTC(2026, 10, 21, 9, 30, 0)
const HOUR = 3_600_000

describe('Retry-After', () => {
  test.each([
    ['120', 120_000],
    [' 7 ', 7000],
    ['0', 1000],
    ['1', 1000],
    ['3600', HOUR],
    ['3601', HOUR],
    ['9'.repeat(400), HOUR],
    ['Sat, 21 Nov 2026 09:32:00 GMT', 120_000],
    ['Saturday, 21-Nov-26 09:32:00 GMT', 120_000],
    ['Sat Nov 21 09:32:00 2026', 120_000],
    ['Sat, 21 Nov 2026 09:00:00 GMT', 1000],
    ['Fri, 31 Dec 9999 23:59:59 GMT', HOUR],
  ])('%j asks for %d ms', (header, ms) => {
    expect(retryAfter(429, header, NOW)).toBe(ms)
  })

  test.each(
    [
      '|soon|-1|1.5|1e3|0x10|12 s|2026-11-21|2026-11-21T09:32:00Z|Nov 21 2026',
      'Sat, 99 Nov 2026 09:32:00 GMT|Sat, 21 Nov 2026 09:32:00',
    ].flatMap((headers) => headers.split('|')),
  )('%j asks for no pause', (header) => {
    expect(retryAfter(429, header, NOW)).toBeUndefined()
  })

  test('is honoured for 408, 425, 429 and 503 only', () => {
    const honoured = Array.from({ length: 600 }, (_, status) => status).filter(
      (status) => retryAfter(status, '10', NOW) !== undefined,
    )
    expect(honoured).toEqual([408, 425, 429, 503])
    expect(retryAfter(429, undefined, NOW)).toBeUndefined()
  })

  test('is between a second and an hour, whatever the header contains', () => {
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

  test('is as long as the header says, as seconds or as a date', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3600 }), (seconds) => {
        expect(retryAfter(429, String(seconds), NOW)).toBe(seconds * 1000)
        const date = new Date(NOW + seconds * 1000).toUTCString()
        expect(retryAfter(429, date, NOW)).toBe(seconds * 1000)
      }),
    )
  })
})
