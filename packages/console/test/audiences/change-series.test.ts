import { expect, test } from 'vitest'
import { changeSeries } from '../../src/pages/audiences/detail/change-series.ts'

const NOW = Date.parse('2026-11-23T12:30:00.000Z')

test('hours without a change are included in the series', () => {
  const data = [{ at: '2026-11-23T10:00:00.000Z', entered: 3, left: 1 }]
  const series = changeSeries({ from: '2026-11-23T09:30:00.000Z', data }, NOW)
  expect(series.step).toBe('hour')
  expect(series.times.map((time) => new Date(time).getUTCHours())).toEqual([9, 10, 11, 12])
  expect(series.entered).toEqual([0, 3, 0, 0])
  expect(series.left).toEqual([0, 1, 0, 0])
})

test('a long period is shown by day', () => {
  const data = [
    { at: '2026-11-22T01:00:00.000Z', entered: 3, left: 0 },
    { at: '2026-11-22T23:00:00.000Z', entered: 2, left: 5 },
  ]
  const series = changeSeries({ from: '2026-10-24T13:00:00.000Z', data }, NOW)
  expect(series.step).toBe('day')
  expect(series.times).toHaveLength(31)
  expect(series.entered.slice(-2)).toEqual([5, 0])
  expect(series.left.slice(-2)).toEqual([5, 0])
})

test('with a slow browser clock, no change is lost', () => {
  const data = [{ at: '2026-11-23T20:00:00.000Z', entered: 1, left: 0 }]
  expect(changeSeries({ from: '2026-11-23T09:30:00.000Z', data }, NOW).entered.at(-1)).toBe(1)
})
