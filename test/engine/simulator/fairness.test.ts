import fc from 'fast-check'
import { expect, test } from 'vitest'
import { seededRandom } from '@hookline/testing/run/seeded-random'
import { SEED } from '@hookline/testing/run/seed'
import { BusyLanes, LATENCY_MS, SLOTS } from './busy-lanes.ts'

const destinations = fc.record({
  seed: fc.nat(),
  // From one lane to more lanes than slots.
  webhooks: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 30 }),
})

/** A lane may take free slots before another lane with fewer slots gets its next turn. */
const MAX_SPREAD = 4

test('busy lanes share the slots: their attempts in flight differ by at most four, and no lane is idle for more than two rounds', async () => {
  let worst = { spread: 0, idle: 0 }
  const property = fc.asyncProperty(destinations, async ({ seed, webhooks }) => {
    const { lanes, spread, longestIdleMs } = await new BusyLanes(webhooks, seededRandom(seed)).run()
    const rounds = Math.ceil(lanes / SLOTS)
    const idle = longestIdleMs / (rounds * LATENCY_MS)
    worst = { spread: Math.max(worst.spread, spread), idle: Math.max(worst.idle, idle) }
    expect(spread).toBeLessThanOrEqual(MAX_SPREAD)
    expect(idle).toBeLessThanOrEqual(2)
  })
  await fc.assert(property, { seed: SEED, numRuns: 30 })
  console.log(
    `seed ${SEED}: maximum difference ${worst.spread} attempts; longest idle time ${worst.idle.toFixed(2)} rounds`,
  )
})
