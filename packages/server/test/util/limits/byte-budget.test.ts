import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ByteBudget, allocateBudget } from '../../../src/util/limits/byte-budget.ts'

test('all threads together take no more than the budget', () => {
  const step = fc.record({ thread: fc.nat(2), bytes: fc.nat(500), gives: fc.boolean() })
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const memory = allocateBudget(3)
      const budgets = [0, 1, 2].map((thread) => new ByteBudget(1_000, { memory, thread }))
      const reserved = [0, 0, 0]
      for (const { thread, bytes, gives } of steps) {
        if (gives) {
          budgets[thread]!.release(reserved[thread]!)
          reserved[thread] = 0
        } else {
          const fits = reserved.reduce((sum, each) => sum + each, bytes) <= 1_000
          expect(budgets[thread]!.take(bytes)).toBe(fits)
          if (fits) reserved[thread]! += bytes
        }
        expect(budgets[0]!.takenBytes).toBe(reserved.reduce((sum, each) => sum + each))
      }
    }),
  )
})

test('the bytes used by a thread that has exited are returned immediately', () => {
  const memory = allocateBudget(2)
  const main = new ByteBudget(10, { memory, thread: 0 })
  expect(main.take(3)).toBe(true)
  expect(new ByteBudget(10, { memory, thread: 1 }).take(7)).toBe(true)
  expect(main.take(1)).toBe(false)
  main.releaseAll(1)
  expect(main.takenBytes).toBe(3)
  expect(main.take(7)).toBe(true)
})
