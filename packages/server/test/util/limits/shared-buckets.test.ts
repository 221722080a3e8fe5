import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RateLimit } from '../../../src/util/limits/rate-limit.ts'
import { SharedBuckets } from '../../../src/util/limits/shared-buckets.ts'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'

const limitOf = (number: number, rateLimit = 1) => ({ id: `src_${number}`, rateLimit })

test('each kept id has its own bucket, and no other id has one', () => {
  const ids = fc.uniqueArray(fc.nat(200), { maxLength: 64 })
  fc.assert(
    fc.property(fc.array(ids, { minLength: 1, maxLength: 8 }), (changes) => {
      const main = SharedBuckets.create({ threads: 2, now: 0, maxBuckets: 64 })
      const other = new SharedBuckets(main.memory)
      for (const kept of changes) {
        main.keep(kept.map((id) => limitOf(id)))
        const found = kept.map((id) => other.find(limitOf(id))?.index)
        expect(found).not.toContain(undefined)
        expect(new Set(found).size).toBe(kept.length)
        const others = Array.from({ length: 201 }, (_, id) => id).filter((id) => !kept.includes(id))
        for (const id of others) expect(other.find(limitOf(id))).toBeUndefined()
      }
    }),
  )
})

test('an id keeps its bucket while others are added and removed', () => {
  const clock = new ManualClock()
  const main = SharedBuckets.create({ threads: 2, now: clock.now(), maxBuckets: 8 })
  const limit = new RateLimit(clock, { shared: main })
  main.keep([limitOf(0, 10)])
  expect(limit.take(limitOf(0, 10), 45)).toBe(0)
  for (let change = 1; change < 1_000; change++) {
    main.keep(
      [0, ...Array.from({ length: 7 }, (_, each) => change * 7 + each)].map((id) =>
        limitOf(id, 10),
      ),
    )
  }
  expect(limit.take(limitOf(0, 10), 1)).toBe(4)
})

test('a released slot starts full for the next id', () => {
  const clock = new ManualClock()
  const main = SharedBuckets.create({ threads: 1, now: clock.now(), maxBuckets: 1 })
  const limit = new RateLimit(clock, { shared: main })
  for (let id = 0; id < 20; id++) {
    main.keep([limitOf(id)])
    expect(limit.take(limitOf(id), 100)).toBe(0)
    expect(limit.take(limitOf(id), 1)).toBe(100)
  }
})

test('a changed limit applies immediately, with a full bucket', () => {
  const clock = new ManualClock()
  const main = SharedBuckets.create({ threads: 1, now: clock.now() })
  const limit = new RateLimit(clock, { shared: main })
  main.keep([limitOf(0, 1), limitOf(0, 10)])
  expect(limit.take(limitOf(0, 1), 1_000)).toBe(0)
  expect(limit.take(limitOf(0, 1), 1)).toBe(1_000)
  expect(limit.take(limitOf(0, 10), 30)).toBe(0)
  expect(limit.take(limitOf(0, 10), 1)).toBe(3)
})

test('an id without a bucket gets a share of its limit on each thread, and no more than the limit in total', () => {
  const clock = new ManualClock()
  const main = SharedBuckets.create({ threads: 4, now: clock.now(), maxBuckets: 1 })
  const threads = Array.from(
    { length: 4 },
    () => new RateLimit(clock, { shared: new SharedBuckets(main.memory) }),
  )
  main.keep([limitOf(0, 8), limitOf(1, 8)])
  let passed = 0
  for (let call = 0; call < 100; call++) {
    for (const limit of threads) if (limit.take(limitOf(1, 8), 1) === 0) passed += 1
  }
  expect(passed).toBe(8)
})

test('threads with slightly different clocks share a limit', () => {
  const first = new ManualClock()
  const second = new ManualClock(first.now() - 1)
  const shared = SharedBuckets.create({ threads: 2, now: first.now() })
  shared.keep([limitOf(0, 2)])
  const limits = [first, second].map((clock) => new RateLimit(clock, { shared }))
  expect(limits[1]!.take(limitOf(0, 2), 1)).toBe(0)
  expect(limits[0]!.take(limitOf(0, 2), 1)).toBe(0)
  expect(limits[0]!.take(limitOf(0, 2), 1)).toBe(0)
  expect(limits[1]!.take(limitOf(0, 2), 1)).toBe(1)
})
