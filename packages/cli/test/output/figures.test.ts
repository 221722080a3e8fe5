import { expect, test } from 'vitest'
import { countText } from '../../src/output/figures.ts'

test.for<[number, string]>([
  [0, '0 attempts'],
  [1, '1 attempt'],
  [2, '2 attempts'],
  [12_020, '12,020 attempts'],
])('a count of %i agrees with its noun', ([count, text]) => {
  expect(countText(count, 'attempt')).toBe(text)
})

test('a noun may have an irregular plural', () => {
  expect(countText(1, 'delivery', 'deliveries')).toBe('1 delivery')
  expect(countText(2, 'delivery', 'deliveries')).toBe('2 deliveries')
})
