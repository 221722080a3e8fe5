import { expect, test } from 'vitest'
import {
  countChange,
  durationChange,
  meanChange,
  shareChange,
} from '../../src/pages/overview/change.ts'

test.for([
  [0, 0, 'no change'],
  [5, 0, 'none in the previous period'],
  [112, 100, '+12% vs previous period'],
  [0, 100, '−100% vs previous period'],
  [1_001, 1_000, 'no change'],
  [null, 2, 'no previous data'],
  [2, null, 'no previous data'],
] as const)('a count of %s after %s: %s', ([now, before, words]) => {
  expect(countChange(now, before)).toBe(words)
})

test.for([
  [null, 1, 'no previous data'],
  [1, null, 'no previous data'],
  [0.996, 1, '−0.4 points vs previous period'],
  [1, 0.5, '+50 points vs previous period'],
  [0.99999, 1, 'no change'],
] as const)('a share of %s after %s: %s', ([now, before, words]) => {
  expect(shareChange(now, before)).toBe(words)
})

test.for([
  [null, 1, ''],
  [0, 0.25, 'average 0, previously 0.3'],
  [12, null, 'average 12'],
] as const)('a mean of %s after %s: %s', ([now, before, words]) => {
  expect(meanChange(now, before)).toBe(words)
})

test.for([
  [null, 1, 'no previous data'],
  [1, null, 'no previous data'],
  [100, 220, '−120 ms vs previous period'],
  [2_000, 500, '+1.5 s vs previous period'],
  [100.2, 100, 'no change'],
] as const)('a duration of %s after %s: %s', ([now, before, words]) => {
  expect(durationChange(now, before)).toBe(words)
})
