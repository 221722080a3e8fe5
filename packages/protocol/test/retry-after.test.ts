import { describe, expect, test } from 'vitest'
import { RETRY_AFTER_FORMATS } from '@hookline/testing/records/retry-after-formats'
import { parseRetryAfter } from '../src/index.ts'

const { now, read, refused } = RETRY_AFTER_FORMATS
const nowMs = Date.parse(now)

describe('a Retry-After header', () => {
  test.each(read)('%j requests %d seconds', (header, seconds) => {
    expect(parseRetryAfter(header, nowMs)).toBe(seconds * 1000)
  })

  test.each(refused)('%j requests nothing', (header) => {
    expect(parseRetryAfter(header, nowMs)).toBeUndefined()
  })

  test('requests whole milliseconds', () => {
    expect(parseRetryAfter('1.23456', nowMs)).toBe(1235)
  })
})
