import fc from 'fast-check'
import { expect, test } from 'vitest'
import { seededRandom } from '../../../packages/server/test/harness/seeded-random.ts'
import { SEED } from '../seed.ts'
import { BusyLanes } from './busy-lanes.ts'

/** The quantum of the lanes (lane-scheduler.ts). */
const QUANTUM = 5

const lanes = fc.record({
  seed: fc.nat(),
  // With so many lanes, the limit of rounds in flight of one lane does not matter.
  webhooks: fc.oneof(
    fc.array(fc.integer({ min: 1, max: 2 }), { minLength: 16, maxLength: 20 }),
    fc
      .tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 16, max: 20 }))
      .map(([each, count]) => Array.from({ length: count }, () => each)),
  ),
})

test('lanes that always have work make the same number of attempts, within less than a quantum and two rounds', async () => {
  let worst = { spread: 0, bound: 0 }
  const property = fc.asyncProperty(lanes, async ({ seed, webhooks }) => {
    const spread = await new BusyLanes(webhooks, seededRandom(seed)).worstSpread()
    // A lane carries over less than the cost of a round, so it may be that much ahead of another.
    const bound = QUANTUM + 2 * Math.max(...webhooks) - 1
    if (spread > worst.spread) worst = { spread, bound }
    expect(spread).toBeLessThan(bound)
  })
  await fc.assert(property, { seed: SEED, numRuns: 40 })
  const { spread, bound } = worst
  console.log(`seed ${SEED}: lanes were at most ${spread} attempts apart; the limit is ${bound}`)
})
