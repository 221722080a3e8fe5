import { expect, test } from 'vitest'
import type { Scenario } from './scenario.ts'
import { simulate } from './simulation.ts'

const HEALTHY_AT_MS = 1_200_000
const HEALTHY: Scenario['destinations'][number]['webhooks'][number]['phases'] = [
  { fromMs: HEALTHY_AT_MS, mode: 'healthy' },
]
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

// Found by the simulator. The turn of a part ended without an attempt while a record of its delivery waited for the database:
// the part was released, and the record claimed it again, for nobody.
test('a webhook that fails during an outage of the database gets each event when both are healthy', async () => {
  const { violations } = await simulate({
    seed: 1_123_494_992,
    limits: { maxInFlight: 1, laneConcurrency: 1, laneWindow: 2, maxInMemory: 10_000 },
    retryWindowMs: 300_000,
    commitMs: 0,
    destinations: [
      {
        webhooks: [
          { phases: HEALTHY, latencyMs: { least: 0, most: 1_372 }, retryAfterMs: 1_000 },
          { phases: HEALTHY, latencyMs: { least: 447, most: 447 }, retryAfterMs: 1_000 },
          {
            phases: [
              { fromMs: 169_778, mode: 'failing' },
              { fromMs: HEALTHY_AT_MS, mode: 'healthy' },
            ],
            latencyMs: { least: 0, most: 0 },
            retryAfterMs: 1_000,
          },
        ],
        successPolicy: 'each',
        off: null,
        removedAtMs: null,
      },
    ],
    arrivals: [
      { atMs: 896_821, count: 8, repeats: 0 },
      { atMs: 164_041, count: 10, repeats: 0 },
    ],
    purges: [{ atMs: 878_899, user: 1 }],
    outages: [{ atMs: 898_504, forMs: 341_729 }],
    stops: [],
  })
  expect(violations).toEqual([])
})

const quick: Scenario['destinations'][number] = {
  webhooks: [
    {
      phases: [{ fromMs: 0, mode: 'healthy' }],
      latencyMs: { least: 3, most: 3 },
      retryAfterMs: 1_000,
    },
  ],
  successPolicy: 'any',
  off: null,
  removedAtMs: null,
}
const calm: Scenario = {
  seed: 1,
  limits: { maxInFlight: 4, laneConcurrency: 1, laneWindow: 24, maxInMemory: 10_000 },
  retryWindowMs: 300_000,
  commitMs: 10,
  destinations: [quick],
  arrivals: [{ atMs: 1_000, count: 1, repeats: 0 }],
  purges: [],
  outages: [],
  stops: [],
}

// Found by the simulator. An ack failed because the database was unavailable, and was not made again: until another event
// came, the log kept the entry.
test('an event that is recorded just before an outage of the database leaves the log after it', async () => {
  const violations: string[] = []
  for (let atMs = 1_000; atMs < 1_060; atMs++)
    violations.push(...(await simulate({ ...calm, outages: [{ atMs, forMs: 5_000 }] })).violations)
  expect(violations).toEqual([])
})

const killed: Scenario = {
  ...calm,
  threads: 1,
  threadKills: [{ atMs: 1_500, thread: 0 }],
  commitMs: 40,
  arrivals: [{ atMs: 1_000, count: 150, repeats: 0 }],
}

// Found by the simulator. A thread that started took up what waited in the backend before main had told it what had changed
// since it was connected: for some milliseconds it delivered to a destination that was paused, or events of a user whose
// purge had begun.
test.each<[string, (atMs: number) => Scenario]>([
  [
    'sends nothing to a destination that was paused meanwhile',
    (atMs) => ({
      ...killed,
      commitMs: 3,
      destinations: [{ ...quick, off: { atMs, forMs: 5_000, how: 'paused' } }],
    }),
  ],
  [
    'sends no event of a user who was deleted meanwhile',
    (atMs) => ({ ...killed, purges: [{ atMs, user: 1 }] }),
  ],
])('a thread that is restarted %s', async (_, scenarioAt) => {
  const violations: string[] = []
  for (let atMs = 1_500; atMs < 1_660; atMs += 2)
    violations.push(...(await simulate(scenarioAt(atMs))).violations)
  expect(violations).toEqual([])
})
