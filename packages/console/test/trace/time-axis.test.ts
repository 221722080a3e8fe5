import { expect, test } from 'vitest'
import { timeAxis } from '../../src/domain/trace/time-axis.ts'

const MINUTE_MS = 60_000

test('continuous activity has one linear scale', () => {
  const { place, breaks } = timeAxis([
    { from: 0, to: 0 },
    { from: 10, to: 100 },
  ])
  expect(breaks).toEqual([])
  expect([0, 10, 50, 100].map(place)).toEqual([0, 0.1, 0.5, 1])
})

test('short attempts minutes apart share one scale, and the gap between them is shortened', () => {
  const { place, breaks } = timeAxis([
    { from: 0, to: 0 },
    { from: 20, to: 120 },
    { from: 10 * MINUTE_MS, to: 10 * MINUTE_MS + 100 },
  ])
  expect(breaks).toMatchObject([{ from: 120, to: 10 * MINUTE_MS }])
  const first = place(120) - place(20)
  const second = place(10 * MINUTE_MS + 100) - place(10 * MINUTE_MS)
  expect(second).toBeCloseTo(first, 10)
  expect(breaks[0]!.right - breaks[0]!.left).toBeLessThan(0.1)
})

test('a hundred gaps together take less than half of the axis', () => {
  const { breaks } = timeAxis(
    Array.from({ length: 101 }, (_, index) => ({
      from: index * MINUTE_MS,
      to: index * MINUTE_MS + 5,
    })),
  )
  expect(breaks).toHaveLength(100)
  expect(breaks.reduce((sum, { left, right }) => sum + right - left, 0)).toBeLessThan(0.5)
})

test('times outside the range are at the ends, and a single time causes no division by zero', () => {
  const { place } = timeAxis([{ from: 5, to: 5 }])
  expect([0, 5, 9].map(place)).toEqual([0, 0, 0])
  expect(timeAxis([]).place(7)).toBe(0)
  const { place: placed } = timeAxis([{ from: 0, to: 10 }])
  expect([placed(-5), placed(50)]).toEqual([0, 1])
})

test('positions never decrease, and lie between 0 and 1', () => {
  const spans = [
    { from: 0, to: 30 },
    { from: 10, to: 12 },
    { from: 400, to: 900 },
    { from: 70_000, to: 70_020 },
  ]
  const { place } = timeAxis(spans)
  const places = Array.from({ length: 7_100 }, (_, index) => place(index * 10))
  expect(places).toEqual(places.toSorted((a, b) => a - b))
  expect(places.at(0)).toBe(0)
  expect(places.at(-1)).toBeCloseTo(1, 10)
})
