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
  latencyMs: { min: 0, max: 0 },
  retryAfterMs: 1_000,
}

// Regression: the record of one part became durable just as the attempt of its sibling ended. The delivery was closed,
// and an earlier claim reopened it in its state before the attempt.
test('two webhooks of a destination that recover together after a database outage get each event once', async () => {
  const { violations } = await simulate({
    seed: 0,
    limits: {
      maxInFlight: 2,
      maxConcurrencyPerWebhook: 1,
      webhookQueueSize: 4,
      maxInMemory: 10_000,
    },
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

// Regression: the turn of a part ended without an attempt while a record of its delivery waited for the database. The
// part was released, but the record claimed it again, and no lane owned it.
test('a webhook that fails during a database outage gets each event when both have recovered', async () => {
  const { violations } = await simulate({
    seed: 1_123_494_992,
    limits: {
      maxInFlight: 1,
      maxConcurrencyPerWebhook: 1,
      webhookQueueSize: 2,
      maxInMemory: 10_000,
    },
    retryWindowMs: 300_000,
    commitMs: 0,
    destinations: [
      {
        webhooks: [
          { phases: HEALTHY, latencyMs: { min: 0, max: 1_372 }, retryAfterMs: 1_000 },
          { phases: HEALTHY, latencyMs: { min: 447, max: 447 }, retryAfterMs: 1_000 },
          {
            phases: [
              { fromMs: 169_778, mode: 'failing' },
              { fromMs: HEALTHY_AT_MS, mode: 'healthy' },
            ],
            latencyMs: { min: 0, max: 0 },
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
      latencyMs: { min: 3, max: 3 },
      retryAfterMs: 1_000,
    },
  ],
  successPolicy: 'any',
  off: null,
  removedAtMs: null,
}
const calm: Scenario = {
  seed: 1,
  limits: {
    maxInFlight: 4,
    maxConcurrencyPerWebhook: 1,
    webhookQueueSize: 24,
    maxInMemory: 10_000,
  },
  retryWindowMs: 300_000,
  commitMs: 10,
  destinations: [quick],
  arrivals: [{ atMs: 1_000, count: 1, repeats: 0 }],
  purges: [],
  outages: [],
  stops: [],
}

// Regression: an ack that failed because the database was unavailable was not retried until the next event.
test('an event recorded just before a database outage is removed from the log afterwards', async () => {
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

// Regression: a new thread took up the backlog before it had received the changes since it was connected. For a few
// milliseconds, it delivered to a paused destination, or delivered events from a user whose purge had started.
test.each<[string, (atMs: number) => Scenario]>([
  [
    'sends nothing to a destination that was paused in the meantime',
    (atMs) => ({
      ...killed,
      commitMs: 3,
      destinations: [{ ...quick, off: { atMs, forMs: 5_000, how: 'paused' } }],
    }),
  ],
  [
    'sends no events of a user who was deleted in the meantime',
    (atMs) => ({ ...killed, purges: [{ atMs, user: 1 }] }),
  ],
])('a thread that is restarted %s', async (_, scenarioAt) => {
  const violations: string[] = []
  for (let atMs = 1_500; atMs < 1_660; atMs += 2)
    violations.push(...(await simulate(scenarioAt(atMs))).violations)
  expect(violations).toEqual([])
})
