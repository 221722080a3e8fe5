import { expect, test } from 'vitest'
import type { Destination, WebhookLimits } from '@hookline/protocol'
import { WebhookHealth } from '../../../packages/server/src/delivery/health/webhook-health.ts'
import { seededRandom } from '@hookline/testing/run/seeded-random'
import { SEED, SeededMathRandom } from '@hookline/testing/run/seed'
import { NO_LISTENER } from './backend/backend-listener.ts'
import { DurableState } from './backend/durable-state.ts'
import { openMemoryBackend } from './backend/memory-backend.ts'
import { destinationOf } from './environment/simulated-destinations.ts'
import { SimulatedEvents } from './environment/simulated-events.ts'
import { waitForTurns, VirtualClock } from './environment/virtual-clock.ts'
import { SimulatedProcess } from './simulated-process.ts'

const EVENTS = 1_000
const LIMITED = 'https://limited.example/'
const FREE = 'https://free.example/'
/** The limited receiver is slow, and fails a tenth of its attempts. */
const LATENCY_MS: Readonly<Record<string, number>> = { [LIMITED]: 1_000, [FREE]: 20 }
const FAILED_SHARE = 0.1
const PROCESS_LIMITS = {
  maxInFlight: 512,
  maxConcurrencyPerWebhook: 64,
  webhookQueueSize: 256,
  maxInMemory: 16_384,
}

/** Delivers 1,000 events to a webhook with `limits` and to one without. Returns the times of attempts since the start. */
async function attemptsWith(limits: WebhookLimits, forMs: number) {
  const random = seededRandom(SEED)
  using _random = new SeededMathRandom(random)
  const clock = new VirtualClock()
  const state = new DurableState()
  for (const destination of [limited(limits), destinationOf('dst_free', [FREE], 'any')])
    state.destinations.set(destination.id, destination)
  const begun: Record<string, number[]> = { [LIMITED]: [], [FREE]: [] }
  const inFlight = { now: 0, max: 0 }
  const startedAt = clock.now()
  const process = new SimulatedProcess({
    clock,
    backend: openMemoryBackend(state, {
      clock,
      delayMs: () => 1,
      isUnavailable: () => false,
      listener: NO_LISTENER,
    }),
    sender: {
      send: async ({ url }) => {
        const isLimited = url === LIMITED
        begun[url]!.push(clock.now() - startedAt)
        if (isLimited) inFlight.max = Math.max(inFlight.max, ++inFlight.now)
        const durationMs = LATENCY_MS[url]!
        const result = { startedAt: clock.now(), durationMs }
        await new Promise<void>((resolve) => clock.after(durationMs, resolve))
        if (isLimited) inFlight.now--
        return isLimited && random() < FAILED_SHARE
          ? { ...result, outcome: 'retry', class: 'http_5xx', status: 500 }
          : { ...result, outcome: 'delivered', class: 'delivered', status: 200 }
      },
    },
    health: new WebhookHealth(clock),
    limits: PROCESS_LIMITS,
    retryWindowMs: 4 * 60 * 60_000,
    onBug: (line) => {
      throw new Error(line)
    },
  })
  void process.backend.log.append(new SimulatedEvents(random).make(clock.now(), EVENTS))
  while (clock.now() < startedAt + forMs) {
    clock.step(startedAt + forMs)
    await waitForTurns()
  }
  expect(process.imbalance).toBe(0)
  return { limited: begun[LIMITED]!, free: begun[FREE]!, maxInFlight: inFlight.max }
}

function limited(limits: WebhookLimits): Destination {
  const destination = destinationOf('dst_limited', [LIMITED], 'any')
  const webhooks = [{ url: LIMITED, headers: {}, limits }]
  return { ...destination, settings: { ...destination.settings, webhooks } }
}

test('a webhook limited to 20 attempts per second gets 20 per second for 1,000 events, including retries, and delays no other webhook', async () => {
  const { limited: times, free } = await attemptsWith({ perSecond: 20 }, 60_000)
  // The first attempts alone take 50 seconds.
  for (let second = 1; second < 50; second++) {
    const inSecond = times.filter((at) => Math.floor(at / 1_000) === second).length
    expect(Math.abs(inSecond - 20), `second ${second}`).toBeLessThanOrEqual(1)
  }
  const before = times.filter((at) => at < 50_000).length
  expect(Math.abs(before - 50 * 20)).toBeLessThanOrEqual(50 * 20 * 0.05)
  expect(times.length).toBeGreaterThan(EVENTS)
  expect(free).toHaveLength(EVENTS)
  expect(free.at(-1)).toBeLessThan(3_000)
})

test('a webhook with a concurrency of 4 has at most 4 attempts in flight', async () => {
  const { limited: times, maxInFlight } = await attemptsWith({ concurrency: 4 }, 20_000)
  expect(maxInFlight).toBe(4)
  expect(times.length).toBeGreaterThan(70)
})
