import { expect, test } from 'vitest'
import { reportDestinations } from '../../../src/admin/destination-metrics.ts'
import { type Clock, systemClock } from '../../../src/util/time/clock.ts'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { TestEngine } from '@hookline/testing/engine/test-engine'

/** The series of a scrape with a `destination` label, as `name{labels}` without their common prefix. */
async function seriesOf(engine: TestEngine): Promise<Record<string, number>> {
  const text = (await engine.metrics.scrape()).replaceAll(/127\.0\.0\.1:\d+/g, 'host')
  const lines = [...text.matchAll(/^hookline_destination_(\S+\{.*\}) (\S+)$/gm)]
  return Object.fromEntries(lines.map(([, name, value]) => [name!, Number(value)]))
}

function report(engine: TestEngine, clock: Clock = systemClock): void {
  reportDestinations(engine.metrics, {
    ...engine.backend,
    clock,
    lanes: engine.lanes,
  })
}

test('a scrape reports the backlog of each destination, its age, why it is waiting, and the next attempt', async () => {
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
      'waiting{destination="dst_refusing",webhook="host",state="pending"}': 12,
      'blocked_webhooks{destination="dst_refusing",webhook="host",reason="breaker_open"}': 1,
      'waiting{destination="dst_busy",webhook="host",state="pending"}': 12,
      'blocked_webhooks{destination="dst_busy",webhook="host",reason="retry_after"}': 1,
      'waiting{destination="dst_paused",webhook="host",state="held"}': 12,
      'blocked_webhooks{destination="dst_paused",webhook="host",reason="destination_paused"}': 1,
    })
  const series = await seriesOf(engine)
  expect(series['oldest_pending_seconds{destination="dst_busy",webhook="host"}']).toBeGreaterThan(0)
  const next = series['next_attempt_seconds{destination="dst_busy",webhook="host"}']!
  expect(next).toBeGreaterThan(500)
  expect(next).toBeLessThanOrEqual(600)
  expect(series['next_attempt_seconds{destination="dst_paused",webhook="host"}']).toBeUndefined()
  const gauges = /^(?:waiting|oldest|next|blocked|inflight).*(?:healthy|off)/
  expect(Object.keys(series).filter((each) => gauges.test(each))).toEqual([])
})

test('after the system clock was set forward, the age of the backlog is still right', async () => {
  await using failing = await openReceiver({ respond: { status: 500 } })
  await using engine = await TestEngine.open({ retryDelaysMs: [100_000], retryWindowMs: 3_600_000 })
  report(engine, { ...systemClock, now: () => systemClock.now() - 86_400_000 })
  await engine.destination('dst_a', failing.url)
  await engine.receive(1)
  const oldest = 'oldest_pending_seconds{destination="dst_a",webhook="host"}'
  await expect.poll(async () => (await seriesOf(engine))[oldest]).toBeGreaterThan(0)
})

test('a disabled destination with a backlog has no next attempt', async () => {
  await using failing = await openReceiver({ respond: { status: 500 } })
  await using engine = await TestEngine.open({ retryDelaysMs: [100_000], retryWindowMs: 3_600_000 })
  report(engine)
  await engine.destination('dst_off', failing.url)
  await engine.receive(1)
  const next = 'next_attempt_seconds{destination="dst_off",webhook="host"}'
  await expect.poll(async () => (await seriesOf(engine))[next]).toBeGreaterThan(0)
  await engine.destination('dst_off', failing.url, { enabled: false, version: 2 })
  const series = await seriesOf(engine)
  expect(series).toMatchObject({
    'waiting{destination="dst_off",webhook="host",state="pending"}': 1,
    'blocked_webhooks{destination="dst_off",webhook="host",reason="destination_disabled"}': 1,
  })
  expect(series[next]).toBeUndefined()
})

test('the destinations with the largest backlogs have separate series, up to the limit; the others share one', async () => {
  await using engine = await TestEngine.open({ maxDestinationsInMetrics: 3 })
  report(engine)
  const url = 'http://127.0.0.1:9/'
  const paused = { since: 7, reason: 'operator' } as const
  for (let count = 0; count < 5; count++)
    await engine.destination(`dst_${count}`, url, { sourceId: 'src_other', paused })
  for (const id of ['dst_5', 'dst_6', 'dst_7', 'dst_8'])
    await engine.destination(id, url, { paused })
  await engine.receive(2)
  await expect
    .poll(() => seriesOf(engine))
    .toMatchObject({
      'waiting{destination="dst_5",webhook="host",state="held"}': 2,
      'waiting{destination="dst_6",webhook="host",state="held"}': 2,
      'waiting{destination="dst_7",webhook="host",state="held"}': 2,
      'waiting{destination="other",webhook="other",state="held"}': 2,
    })
  const blocked = Object.keys(await seriesOf(engine)).filter((each) => each.startsWith('blocked'))
  expect(blocked).toHaveLength(3)
})

test('the webhooks of a destination are identified by host, or by position if they share one', async () => {
  const held = Promise.withResolvers<200>()
  await using silent = await openReceiver({ respond: () => held.promise })
  await using failing = await openReceiver({ respond: 500 })
  await using engine = await TestEngine.open({ retryDelaysMs: [100_000], retryWindowMs: 3_600_000 })
  report(engine)
  const urls = [silent.url, `${failing.url}/TOKEN`, `${failing.url}/TOKEN/2`]
  const webhooks = urls.map((url) => ({ url, headers: {} }))
  const settings = { sharedSecret: null, successPolicy: 'each', webhooks } as const
  await engine.destination('dst_a', silent.url, { settings })
  await engine.receive(1)
  await failing.waitFor(2)
  await expect.poll(() => engine.deliveries({})).toMatchObject([{ state: 'pending' }])
  const text = await engine.metrics.scrape()
  const host = `127.0.0.1:${failing.port}`
  for (const webhook of [host, `${host}#2`]) {
    expect(text).toContain(
      `hookline_destination_attempts_total{destination="dst_a",webhook="${webhook}",outcome="retry"} 1`,
    )
    expect(text).toContain(`oldest_pending_seconds{destination="dst_a",webhook="${webhook}"}`)
  }
  expect(text).toContain(
    `hookline_destination_inflight{destination="dst_a",webhook="127.0.0.1:${silent.port}"} 1`,
  )
  expect(text).not.toContain('TOKEN')
  held.resolve(200)
})
