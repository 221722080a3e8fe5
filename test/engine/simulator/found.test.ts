import { expect, test } from 'vitest'
import type { Scenario } from './scenario.ts'
import { simulate } from './simulation.ts'

const HEALTHY_AT_MS = 1_200_000
const webhook: Scenario['destinations'][number]['webhooks'][number] = {
  phases: [
    { fromMs: 0, mode: 'hanging' },
    { fromMs: HEALTHY_AT_MS, mode: 'healthy' },
  ],
  latencyMs: { least: 0, most: 0 },
  retryAfterMs: 1_000,
}

// Found by the simulator. The record of one part became durable just as the attempt of its sibling ended: the delivery was
// closed, and a claim that had been made before opened it again as it was before the attempt.
test('two webhooks of a destination that recover together, after an outage of the database, get each event once', async () => {
  const { violations } = await simulate({
    seed: 0,
    limits: { maxInFlight: 2, laneConcurrency: 1, laneWindow: 4, maxInMemory: 10_000 },
    retryWindowMs: 300_000,
    commitMs: 0,
    destinations: [
      { webhooks: [webhook, webhook], successPolicy: 'any', off: null, removedAtMs: null },
    ],
    arrivals: [{ atMs: 173_247, count: 16, repeats: 0 }],
    purges: [],
    outages: [{ atMs: 788_659, forMs: 527_471 }],
    stops: [{ downMs: 114_817, how: 'stop', atMs: 173_247 }],
  })
  expect(violations).toEqual([])
})
