import fc from 'fast-check'
import { expect, test } from 'vitest'
import { seededRandom } from '../../../packages/server/test/harness/seeded-random.ts'
import { SEED } from '../seed.ts'
import { BusyLanes } from './busy-lanes.ts'

/** What a lane may spend in a turn (dispatcher.ts). */
const QUANTUM = 5

const lanes = fc.record({
  seed: fc.nat(),
  // With so many lanes none is held up by the most that one lane may have in flight.
  webhooks: fc.oneof(
    fc.array(fc.integer({ min: 1, max: 2 }), { minLength: 16, maxLength: 20 }),
    fc
      .tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 16, max: 20 }))
      .map(([each, count]) => Array.from({ length: count }, () => each)),
  ),
})

test('lanes that always have something to send get the same number of attempts, but for less than a quantum and two rounds', async () => {
  let worst = { spread: 0, bound: 0 }
  const property = fc.asyncProperty(lanes, async ({ seed, webhooks }) => {
    const spread = await new BusyLanes(webhooks, seededRandom(seed)).worstSpread()
    // A lane carries over less than a round costs, and may have as much more than another.
    const bound = QUANTUM + 2 * Math.max(...webhooks) - 1
    if (spread > worst.spread) worst = { spread, bound }
    expect(spread).toBeLessThan(bound)
  })
  await fc.assert(property, { seed: SEED, numRuns: 40 })
  const { spread, bound } = worst
  console.log(`seed ${SEED}: lanes were at most ${spread} attempts apart; ${bound} would be unfair`)
})
