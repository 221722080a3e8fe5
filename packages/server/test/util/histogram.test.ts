import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bucketOf, quantileOf } from '../../src/util/histogram.ts'

const counted = (values: readonly number[]): Map<number, number> => {
  const counts = new Map<number, number>()
  for (const value of values) counts.set(bucketOf(value), (counts.get(bucketOf(value)) ?? 0) + 1)
  return counts
}

test('a quantile is right to 5 %, whatever the values', () => {
  const values = fc.array(fc.integer({ min: 1, max: 100_000_000 }), { minLength: 1 })
  fc.assert(
    fc.property(values, fc.constantFrom(0.5, 0.95, 0.99), (given, quantile) => {
      const exact = given.toSorted((a, b) => a - b)[Math.ceil(given.length * quantile) - 1]!
      const read = quantileOf(counted(given), quantile)!
      expect(Math.abs(read - exact) / exact).toBeLessThanOrEqual(0.05)
    }),
  )
})

test('nothing counted has no quantile; what takes no time is in the first bucket', () => {
  expect(quantileOf(new Map(), 0.5)).toBeUndefined()
  expect([bucketOf(0), bucketOf(-5), bucketOf(0.9)]).toEqual([0, 0, 0])
})
