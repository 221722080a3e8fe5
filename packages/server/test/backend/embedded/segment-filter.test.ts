import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SegmentFilter } from '../../../src/backend/embedded/segment-filter.ts'
import { SEGMENT_EVENTS } from '../../../src/backend/embedded/segments.ts'
import { seededRandom } from '../../harness/seeded-random.ts'

const SEED = 0x1a2b3c4d5e6f7

const randomKeys = (count: number): string[] => {
  const random = seededRandom(7)
  return Array.from({ length: count }, () => `${random()}-${random()}`)
}
const countedKeys = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `message-${index}`)

test('names the segment of every key that was added, in ascending order, whatever the keys are', () => {
  const added = fc.array(fc.tuple(fc.nat({ max: 100_000 }), fc.string({ unit: 'binary' })))
  fc.assert(
    fc.property(fc.maxSafeNat(), added, (seed, entries) => {
      const filter = new SegmentFilter(seed)
      for (const [segment, key] of entries) filter.add(segment, key)
      for (const [segment, key] of entries) {
        const segments = filter.segmentsWith(key)
        expect(segments).toContain(segment)
        expect(segments).toEqual([...new Set(segments)].toSorted((a, b) => a - b))
      }
    }),
    { numRuns: 50 },
  )
})

test.each([
  ['random', randomKeys],
  ['counted', countedKeys],
])('finds each of thousands of %s keys in 70 segments, begun anywhere', (_, keysOf) => {
  const filter = new SegmentFilter(SEED)
  const first = 61
  const keys = keysOf(70 * 500)
  const segmentOfKey = (index: number): number => first + Math.floor(index / 500)
  for (const [index, key] of keys.entries()) filter.add(segmentOfKey(index), key)
  const missed = keys.filter((key, i) => !filter.segmentsWith(key).includes(segmentOfKey(i)))
  expect(missed).toEqual([])
})

test.each([
  ['random', randomKeys],
  ['counted', countedKeys],
])('a full segment is named for fewer than one in 1,000 %s keys it does not have', (_, keysOf) => {
  const filter = new SegmentFilter(SEED)
  const others = 100_000
  const keys = keysOf(SEGMENT_EVENTS + others)
  for (const key of keys.slice(0, SEGMENT_EVENTS)) filter.add(3, key)
  const wrong = keys.slice(SEGMENT_EVENTS).filter((key) => filter.segmentsWith(key).length > 0)
  expect(wrong.length).toBeLessThan(others / 1000)
})

test('keys that SQLite takes for the same are the same', () => {
  const filter = new SegmentFilter(SEED)
  filter.add(0, 'half \uD800 of a pair')
  expect(filter.segmentsWith('half \uFFFD of a pair')).toEqual([0])
})

test('another seed makes other keys fall together', () => {
  const [one, other] = [1, 2].map((seed) => {
    const filter = new SegmentFilter(seed)
    for (const key of countedKeys(SEGMENT_EVENTS)) filter.add(0, key)
    return randomKeys(100_000).filter((key) => filter.segmentsWith(key).length > 0)
  })
  expect(one).not.toEqual(other)
})

test('the filter of one segment can be kept and restored, beside others and after them', () => {
  const filter = new SegmentFilter(SEED)
  const keys = randomKeys(6000)
  for (const [index, key] of keys.entries()) filter.add(30 + (index % 6), key)
  const restored = new SegmentFilter(SEED)
  restored.add(34, 'there before')
  for (const segment of [33, 30, 35, 31, 34, 32]) restored.restore(segment, filter.bitsOf(segment))
  expect(keys.map((key) => restored.segmentsWith(key))).toEqual(
    keys.map((key) => filter.segmentsWith(key)),
  )
  expect(restored.segmentsWith('there before')).toContain(34)
  for (const segment of [30, 31, 32, 33, 35])
    expect(restored.bitsOf(segment)).toEqual(filter.bitsOf(segment))
})

test('forgets segments of the past together with all of the 32 they lie with, and never a later one', () => {
  const filter = new SegmentFilter(SEED)
  const segments = [0, 31, 32, 63, 64, 95]
  for (const segment of segments) filter.add(segment, 'key')
  const left = (before: number): number[] => {
    filter.forgetBefore(before)
    return filter.segmentsWith('key')
  }
  expect(left(31)).toEqual(segments)
  expect(left(32)).toEqual([32, 63, 64, 95])
  expect(left(63)).toEqual([32, 63, 64, 95])
  expect(left(96)).toEqual([])
  filter.add(96, 'key')
  expect(filter.segmentsWith('key')).toEqual([96])
})
