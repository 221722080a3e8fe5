import { expect, test } from 'vitest'
import {
  changeInWords,
  durationChangeInWords,
  meanChangeInWords,
  shareChangeInWords,
} from '../../src/pages/overview/change.ts'

test.for([
  [0, 0, 'as before'],
  [5, 0, 'none before'],
  [112, 100, '12 % more than before'],
  [0, 100, '100 % less than before'],
  [1_001, 1_000, 'as before'],
] as const)('a count of %d after %d is %s', ([now, before, words]) => {
  expect(changeInWords(now, before)).toBe(words)
})

test.for([
  [null, 2, 'nothing to compare with'],
  [2, null, 'nothing to compare with'],
  [0, 0, '0 on average, as before'],
  [3, 0, '3 on average, none before'],
  [3.5, 7, '3.5 on average, 50 % less than before'],
] as const)('a mean of %s after %s is %s', ([now, before, words]) => {
  expect(meanChangeInWords(now, before)).toBe(words)
})

test.for([
  [null, 1, 'nothing to compare with'],
  [1, null, 'nothing to compare with'],
  [0.996, 1, '0.4 points less than before'],
  [1, 0.5, '50 points more than before'],
  [0.99999, 1, 'as before'],
] as const)('a share of %s after %s is %s', ([now, before, words]) => {
  expect(shareChangeInWords(now, before)).toBe(words)
})

test.for([
  [null, 1, 'nothing to compare with'],
  [1, null, 'nothing to compare with'],
  [100, 220, '120 ms faster than before'],
  [2_000, 500, '1.5 s slower than before'],
  [100.2, 100, 'as before'],
] as const)('a duration of %s after %s is %s', ([now, before, words]) => {
  expect(durationChangeInWords(now, before)).toBe(words)
})
