import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  BloomFilters,
  KEYS_PER_FILTER,
} from '../../../../src/backend/embedded/log/bloom-filters.ts'
import { seededRandom } from '@hookline/testing/run/seeded-random'

const SEED = 0x1a2b3c4d5e6f7

const randomKeys = (count: number): string[] => {
  const random = seededRandom(7)
  return Array.from({ length: count }, () => `${random()}-${random()}`)
}
const countedKeys = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `message-${index}`)

test('finds the filters of every added key, in ascending order, for any keys', () => {
  const added = fc.array(fc.tuple(fc.nat({ max: 100_000 }), fc.string({ unit: 'binary' })))
  fc.assert(
    fc.property(fc.maxSafeNat(), added, (seed, entries) => {
      const filters = new BloomFilters(seed)
      for (const [filter, key] of entries) filters.add(filter, key)
      for (const [filter, key] of entries) {
        const found = filters.filtersWith(key)
        expect(found).toContain(filter)
        expect(found).toEqual([...new Set(found)].toSorted((a, b) => a - b))
      }
    }),
    { numRuns: 50 },
  )
})

test.each([
  ['random', randomKeys],
  ['counted', countedKeys],
])('finds each of thousands of %s keys in 70 filters, starting at any number', (_, keysOf) => {
  const filters = new BloomFilters(SEED)
  const first = 61
  const keys = keysOf(70 * 500)
  const filterOfKey = (index: number): number => first + Math.floor(index / 500)
  for (const [index, key] of keys.entries()) filters.add(filterOfKey(index), key)
  const missed = keys.filter((key, i) => !filters.filtersWith(key).includes(filterOfKey(i)))
  expect(missed).toEqual([])
})

test.each([
  ['random', randomKeys],
  ['counted', countedKeys],
])('a full filter has fewer than one false positive in 10,000 %s keys', (_, keysOf) => {
  const filters = new BloomFilters(SEED)
  const others = 100_000
  const keys = keysOf(KEYS_PER_FILTER + others)
  for (const key of keys.slice(0, KEYS_PER_FILTER)) filters.add(3, key)
  const wrong = keys.slice(KEYS_PER_FILTER).filter((key) => filters.filtersWith(key).length > 0)
  expect(wrong.length).toBeLessThan(others / 10_000)
})

test('keys that are equal in SQLite are equal', () => {
  const filters = new BloomFilters(SEED)
  filters.add(0, 'half \uD800 of a pair')
  expect(filters.filtersWith('half \uFFFD of a pair')).toEqual([0])
})

test('different keys collide with another seed', () => {
  const [one, other] = [1, 2].map((seed) => {
    const filters = new BloomFilters(seed)
    for (const key of countedKeys(KEYS_PER_FILTER)) filters.add(0, key)
    return randomKeys(100_000).filter((key) => filters.filtersWith(key).length > 0)
  })
  expect(one).not.toEqual(other)
})

test('one filter can be stored and restored, with other filters before and after it', () => {
  const filters = new BloomFilters(SEED)
  const keys = randomKeys(6000)
  for (const [index, key] of keys.entries()) filters.add(30 + (index % 6), key)
  const restored = new BloomFilters(SEED)
  restored.add(34, 'there before')
  for (const filter of [33, 30, 35, 31, 34, 32]) restored.restore(filter, filters.bitsOf(filter))
  expect(keys.map((key) => restored.filtersWith(key))).toEqual(
    keys.map((key) => filters.filtersWith(key)),
  )
  expect(restored.filtersWith('there before')).toContain(34)
  for (const filter of [30, 31, 32, 33, 35])
    expect(restored.bitsOf(filter)).toEqual(filters.bitsOf(filter))
})

test('drops old filters in groups of 32, but no later ones', () => {
  const filters = new BloomFilters(SEED)
  const numbers = [0, 31, 32, 63, 64, 95]
  for (const number of numbers) filters.add(number, 'key')
  const left = (before: number): number[] => {
    filters.forgetBefore(before)
    return filters.filtersWith('key')
  }
  expect(left(31)).toEqual(numbers)
  expect(left(32)).toEqual([32, 63, 64, 95])
  expect(left(63)).toEqual([32, 63, 64, 95])
  expect(left(96)).toEqual([])
  filters.add(96, 'key')
  expect(filters.filtersWith('key')).toEqual([96])
})
