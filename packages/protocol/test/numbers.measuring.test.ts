import { expect, test } from 'vitest'
import { isExactNumber, roundedNumbers } from '../src/index.ts'

/** Far above the cost of a linear check, and far below the cost of a quadratic one. */
const MAX_MS = 1_000

test.each(['9', '0', '10'])(
  'a fraction with half a million digits is checked quickly: %s',
  (digits) => {
    const started = performance.now()
    expect(isExactNumber(`1.${digits.repeat(500_000 / digits.length)}1`)).toBe(false)
    expect(performance.now() - started).toBeLessThan(MAX_MS)
  },
)

test('an integer with half a million digits is checked quickly', () => {
  const started = performance.now()
  expect(roundedNumbers(`[${'9'.repeat(500_000)}]`).values.size).toBe(1)
  expect(performance.now() - started).toBeLessThan(MAX_MS)
})
