import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bucketOf, quantileOf } from '../../src/util/histogram.ts'

const counted = (values: readonly number[]): Map<number, number> => {
  const counts = new Map<number, number>()
  for (const value of values) counts.set(bucketOf(value), (counts.get(bucketOf(value)) ?? 0) + 1)
  return counts
}

test('a quantile is accurate to within 5%, for any values', () => {
  const values = fc.array(fc.integer({ min: 1, max: 100_000_000 }), { minLength: 1 })
  fc.assert(
    fc.property(values, fc.constantFrom(0.5, 0.95, 0.99), (sample, quantile) => {
      const exact = sample.toSorted((a, b) => a - b)[Math.ceil(sample.length * quantile) - 1]!
      const read = quantileOf(counted(sample), quantile)!
      expect(Math.abs(read - exact) / exact).toBeLessThanOrEqual(0.05)
    }),
  )
})

test('without counts the quantile is undefined, and values below 1 are in the first bucket', () => {
  expect(quantileOf(new Map(), 0.5)).toBeUndefined()
  expect([bucketOf(0), bucketOf(-5), bucketOf(0.9)]).toEqual([0, 0, 0])
})
