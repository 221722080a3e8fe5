import { newId } from '@hookline/protocol'
import { expect, test } from 'vitest'
import { reportDestinations } from '../../../src/admin/destinations/destination-gauges.ts'
import { webhookStates } from '../../../src/delivery/health/webhook-states.ts'
import { type Clock, systemClock } from '../../../src/util/clock.ts'
import { openReceiver } from '../../harness/receiver.ts'
import { TestEngine } from '../../harness/test-engine.ts'

/** The series of the gauges with a `destination` label, as `name{labels}` without the common beginning. */
async function seriesOf(engine: TestEngine): Promise<Record<string, number>> {
  const text = await engine.metrics.scrape()
  const lines = [...text.matchAll(/^hookline_destination_(\S+) (\S+)$/gm)]
  return Object.fromEntries(lines.map(([, name, value]) => [name!, Number(value)]))
}

function report(engine: TestEngine, clock: Clock = systemClock): void {
  reportDestinations(engine.metrics, {
    ...engine.backend,
    clock,
    destinationHealth: {
      webhooks: (destination) => webhookStates(destination, engine.health, systemClock.now()),
    },
  })
}

test('a scrape tells for each destination what waits, since when, why, and when it is tried next', async () => {
  await using refusing = await openReceiver({ respond: 'reset' })
  await using busy = await openReceiver({
    respond: { status: 429, headers: { 'Retry-After': '600' } },
  })
  await using healthy = await openReceiver()
  await using engine = await TestEngine.open({ retryDelaysMs: [100_000], retryWindowMs: 3_600_000 })
  report(engine)
  await engine.destination('dst_refusing', refusing.url)
  await engine.destination('dst_busy', busy.url)
  await engine.destination('dst_healthy', healthy.url)
  await engine.destination('dst_off', healthy.url, { enabled: false })
  await engine.destination('dst_paused', healthy.url, {
    paused: { since: 7, reason: 'operator' },
  })
  await engine.receive(12)
  await healthy.waitFor(12)
  await expect
    .poll(() => seriesOf(engine))
    .toMatchObject({
      'waiting{destination="dst_refusing",state="pending"}': 12,
      'blocked_webhooks{destination="dst_refusing",reason="breaker_open"}': 1,
      'waiting{destination="dst_busy",state="pending"}': 12,
      'blocked_webhooks{destination="dst_busy",reason="retry_after"}': 1,
      'waiting{destination="dst_paused",state="held"}': 12,
      'blocked_webhooks{destination="dst_paused",reason="destination_paused"}': 1,
    })
  const series = await seriesOf(engine)
  expect(series['oldest_pending_seconds{destination="dst_busy"}']).toBeGreaterThan(0)
  const next = series['next_attempt_seconds{destination="dst_busy"}']!
  expect(next).toBeGreaterThan(500)
  expect(next).toBeLessThanOrEqual(600)
  expect(series['next_attempt_seconds{destination="dst_paused"}']).toBeUndefined()
  expect(Object.keys(series).filter((each) => /healthy|off/.test(each))).toEqual([])
})

test('after the clock of the machine was set forward, the age of what waits is right', async () => {
  await using failing = await openReceiver({ respond: { status: 500 } })
  await using engine = await TestEngine.open({ retryDelaysMs: [100_000], retryWindowMs: 3_600_000 })
  report(engine, { ...systemClock, now: () => systemClock.now() - 86_400_000 })
  await engine.destination('dst_a', failing.url)
  await engine.receive(1)
  const oldest = 'oldest_pending_seconds{destination="dst_a"}'
  await expect.poll(async () => (await seriesOf(engine))[oldest]).toBeGreaterThan(0)
})

test('a disabled destination has no next attempt, whatever waits for it', async () => {
  await using failing = await openReceiver({ respond: { status: 500 } })
  await using engine = await TestEngine.open({ retryDelaysMs: [100_000], retryWindowMs: 3_600_000 })
  report(engine)
  await engine.destination('dst_off', failing.url)
  await engine.receive(1)
  const next = 'next_attempt_seconds{destination="dst_off"}'
  await expect.poll(async () => (await seriesOf(engine))[next]).toBeGreaterThan(0)
  await engine.destination('dst_off', failing.url, { enabled: false, version: 2 })
  const series = await seriesOf(engine)
  expect(series).toMatchObject({
    'waiting{destination="dst_off",state="pending"}': 1,
    'blocked_webhooks{destination="dst_off",reason="destination_disabled"}': 1,
  })
  expect(series[next]).toBeUndefined()
})

test('1,000 destinations have series, those for which most waits', async () => {
  await using engine = await TestEngine.open()
  report(engine)
  const { catalog } = engine.backend
  const paused = { since: 7, reason: 'operator' } as const
  const webhooks = [{ url: 'http://127.0.0.1:9/', headers: {} }]
  for (let count = 0; count < 1_100; count++) {
    const id = newId('dst', Date.now())
    await engine.destination(id, webhooks[0]!.url, { sourceId: 'src_other', paused })
  }
  await engine.destination('dst_last', webhooks[0]!.url, { paused })
  expect(catalog.current.destinations.size).toBe(1_101)
  await engine.receive(1)
  await expect
    .poll(() => seriesOf(engine))
    .toMatchObject({ 'waiting{destination="dst_last",state="held"}': 1 })
  const blocked = Object.keys(await seriesOf(engine)).filter((each) => each.startsWith('blocked'))
  expect(blocked).toHaveLength(1_000)
})
