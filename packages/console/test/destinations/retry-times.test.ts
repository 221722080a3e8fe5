import { expect, test } from 'vitest'
import { retryTimes, scheduleOf } from '../../src/pages/destinations/settings/retry-times.ts'

const HOUR = 3_600_000

test('the default delays triple up to half an hour, and the last attempt is in the last minute', () => {
  const times = retryTimes({ windowMs: 4 * HOUR, delaysMs: [] }, 0)
  expect(times.slice(0, 5)).toEqual([5_000, 20_000, 65_000, 200_000, 605_000])
  expect(times.slice(6).every((at, index) => at - times[index + 5]! <= HOUR / 2)).toBe(true)
  expect(times.at(-1)).toBe(4 * HOUR - 30_000)
})

test('a custom schedule repeats its last delay', () => {
  const times = retryTimes({ windowMs: 60_000, delaysMs: [1_000, 20_000] }, 0)
  expect(times).toEqual([1_000, 21_000, 41_000, 57_000])
})

test('the number of listed retries is limited', () => {
  expect(retryTimes({ windowMs: HOUR, delaysMs: [1] }, 0).length).toBeLessThanOrEqual(101)
})

test('the last retry is in the last minute of the window, regardless of how many retries are not listed', () => {
  expect(retryTimes({ windowMs: HOUR, delaysMs: [1_000] }, 0).at(-1)).toBe(HOUR - 30_000)
})

test('a window of 0s has no retries', () => {
  expect(retryTimes({ windowMs: 0, delaysMs: [] }, 0)).toEqual([])
})

test("the schedule is read from the service's settings, unless the webhook has its own", () => {
  const window = { name: 'retryWindow', value: '4h' }
  expect(scheduleOf([window, { name: 'retrySchedule', value: null }])).toEqual({
    windowMs: 4 * HOUR,
    delaysMs: [],
  })
  expect(scheduleOf([window, { name: 'retrySchedule', value: '500ms,10s' }])?.delaysMs).toEqual([
    500, 10_000,
  ])
  expect(scheduleOf([])).toBeUndefined()
  expect(scheduleOf([window], { retryWindow: '3d', retrySchedule: ['5s', '2h'] })).toEqual({
    windowMs: 72 * HOUR,
    delaysMs: [5_000, 2 * HOUR],
  })
})
