import fc from 'fast-check'
import { expect, test } from 'vitest'
import { partOfLimit } from '../../../src/delivery/lanes/lane-division.ts'

test('the parts of all nodes have the limit as their sum, and differ by at most one', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 200 }),
      fc.integer({ min: 1, max: 50 }),
      (limit, nodes) => {
        const parts = Array.from({ length: nodes }, (_, place) =>
          partOfLimit(limit, { nodes, place }),
        )
        const sum = parts.reduce((total, part) => total + part, 0)
        expect(sum).toBe(Math.max(limit, nodes))
        expect(Math.max(...parts) - Math.min(...parts)).toBeLessThanOrEqual(1)
        expect(Math.min(...parts)).toBeGreaterThanOrEqual(1)
      },
    ),
  )
})
