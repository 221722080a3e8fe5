import { expect, test } from 'vitest'
import { isExactNumber, roundedNumbers } from '../src/index.ts'

/** Far above the cost of linear work on these digits, and far below the cost of quadratic work. */
const MAX_MS = 1_000

test.each(['9', '0', '10'])(
  'half a million digits of a fraction take little time: %s',
  (digits) => {
    const started = performance.now()
    expect(isExactNumber(`1.${digits.repeat(500_000 / digits.length)}1`)).toBe(false)
    expect(performance.now() - started).toBeLessThan(MAX_MS)
  },
)

test('half a million digits of an integer take little time', () => {
  const started = performance.now()
  expect(roundedNumbers(`[${'9'.repeat(500_000)}]`).values.size).toBe(1)
  expect(performance.now() - started).toBeLessThan(MAX_MS)
})
