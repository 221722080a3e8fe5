import { expect, test } from 'vitest'
import { failureCount } from '../../src/domain/failures/failure-count.ts'

test.for([
  [1, true, '1 delivery'],
  [2_000, true, '2,000 deliveries'],
  [1_709, false, '1,709+ deliveries'],
  [1, false, '1+ deliveries'],
] as const)('%d failures, all counted: %s, are shown as “%s”', ([count, isComplete, text]) => {
  expect(failureCount({ count, isComplete })).toBe(text)
})
