import { describe, expect, test } from 'vitest'
import { RETRY_AFTER_FORMS } from '@hookline/testing/records/retry-after-forms'
import { parseRetryAfter } from '../src/index.ts'

const { now, read, refused } = RETRY_AFTER_FORMS
const nowMs = Date.parse(now)

describe('a header Retry-After', () => {
  test.each(read)('%j asks for %d seconds', (header, seconds) => {
    expect(parseRetryAfter(header, nowMs)).toBe(seconds * 1000)
  })

  test.each(refused)('%j asks for nothing', (header) => {
    expect(parseRetryAfter(header, nowMs)).toBeUndefined()
  })

  test('asks for whole milliseconds', () => {
    expect(parseRetryAfter('1.23456', nowMs)).toBe(1235)
  })
})
