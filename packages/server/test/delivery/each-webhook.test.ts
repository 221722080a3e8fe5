import type { Destination, PartState } from '@hookline/protocol'
import { describe, expect, test } from 'vitest'
import { resumeForbidden } from '../../src/delivery/health/webhook-pauser.ts'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'
import { openReceiver, type Receiver } from '@hookline/testing/receiver/receiver'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { type EngineOptions, TestEngine } from '@hookline/testing/engine/test-engine'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const patient = { retryDelaysMs: [HOUR], retryWindowMs: 4 * HOUR }

/** A destination with a webhook for each URL. */
function to(engine: TestEngine, urls: readonly string[]): Promise<Destination> {
  const webhooks = urls.map((url) => ({ url, headers: {} }))
  const settings = { sharedSecret: null, webhooks, successPolicy: 'any' } as const
  return engine.destination('dst_a', '', { settings })
}

/** The number of parts of this webhook, by state. */
async function partsOf(
  engine: TestEngine,
  url: string,
): Promise<Partial<Record<PartState, number>>> {
  const counts: Partial<Record<PartState, number>> = {}
  for (const { webhooks } of await engine.deliveries({})) {
    const state = webhooks.find((each) => each.url === url)!.state
    counts[state] = (counts[state] ?? 0) + 1
  }
  return counts
}

const messageIds = ({ requests }: Receiver): Set<string> =>
  new Set(
    requests.map(({ body }) => (JSON.parse(body.toString()) as { messageId: string }).messageId),
  )

/** Two receivers and an engine that delivers to both. */
async function openTwo(stack: AsyncDisposableStack, options: EngineOptions = {}) {
  const clock = new ManualClock()
  const healthy = stack.use(await openReceiver())
  const other = stack.use(await openReceiver())
  const engine = stack.use(await TestEngine.open({ ...patient, clock, ...options }))
  const urls = [`${healthy.url}/`, `${other.url}/`] as const
  await to(engine, urls)
  return { clock, healthy, other, engine, urls }
}

describe('with policy `any`, every webhook gets every event', () => {
  test('that arrived while its breaker was open, once its receiver recovers', async () => {
    await using stack = new AsyncDisposableStack()
    const { clock, healthy, other, engine, urls } = await openTwo(stack)
    other.respond = () => 500
    await engine.receive(12)
    await expect.poll(() => engine.openBreakers).toBe(1)
    await engine.receive(100)
    await healthy.waitFor(112)
    await expect
      .poll(async () => (await partsOf(engine, urls[1])).pending)
      .toBeGreaterThanOrEqual(100)
    other.respond = () => 200
    const tried = other.requests.length
    clock.advance(MINUTE)
    await other.waitFor(112)
    await expect
      .poll(() => partsOf(engine, urls[1]))
      .toEqual({ delivered: 112 - tried, not_retried: tried })
    expect(messageIds(other)).toEqual(messageIds(healthy))
    expect((await engine.deliveries({})).every(({ state }) => state === 'delivered')).toBe(true)
  })

  test('that arrived during a Retry-After', async () => {
    await using stack = new AsyncDisposableStack()
    const { clock, healthy, other, engine, urls } = await openTwo(stack)
    other.respond = () => ({ status: 429, headers: { 'retry-after': '600' } })
    await engine.receive(1)
    await other.waitFor(1)
    await healthy.waitFor(1)
    await expect.poll(() => partsOf(engine, urls[1])).toEqual({ not_retried: 1 })
    await engine.receive(50)
    await healthy.waitFor(51)
    await expect.poll(() => partsOf(engine, urls[1])).toEqual({ not_retried: 1, pending: 50 })
    expect([other.requests.length, engine.openBreakers]).toEqual([1, 0])
    other.respond = () => 200
    clock.advance(600_000)
    await expect.poll(() => partsOf(engine, urls[1])).toEqual({ not_retried: 1, delivered: 50 })
  })

  test('or its part expires if the window ended before an attempt', async () => {
    await using stack = new AsyncDisposableStack()
    const { clock, other, engine, urls } = await openTwo(stack)
    other.respond = () => 500
    await engine.receive(10)
    await expect.poll(() => engine.openBreakers).toBe(1)
    await engine.receive(200)
    await expect.poll(async () => (await partsOf(engine, urls[1])).pending).toBe(200)
    for (let minutes = 0; minutes < 4 * 60 + 12; minutes++) {
      clock.advance(MINUTE)
      await engine.settled()
    }
    await expect.poll(async () => (await partsOf(engine, urls[1])).pending).toBeUndefined()
    expect((await partsOf(engine, urls[1])).expired).toBeGreaterThan(0)
    expect((await engine.deliveries({})).every(({ state }) => state === 'delivered')).toBe(true)
  })
})

describe('a webhook that does not respond', () => {
  test('does not delay other webhooks of its destination, and uses none of their slots', async () => {
    await using stack = new AsyncDisposableStack()
    // Long enough that no attempt times out and is retried.
    const { healthy, other, engine } = await openTwo(stack, { sender: { timeoutMs: 60_000 } })
    const { promise: opened, resolve: open } = Promise.withResolvers<void>()
    other.respond = () => opened.then(() => 200)
    await engine.receive(400)
    await healthy.waitFor(400)
    await expect.poll(() => other.requests.length).toBe(64)
    open()
    await other.waitFor(400)
  })

  test('keeps no event in the log for longer than two seconds', async () => {
    await using stack = new AsyncDisposableStack()
    const { clock, healthy, other, engine, urls } = await openTwo(stack)
    const { promise: opened, resolve: open } = Promise.withResolvers<void>()
    other.respond = () => opened.then(() => 200)
    healthy.respond = () => opened.then(() => 200)
    await engine.receive(200)
    await other.waitFor(64)
    expect(engine.lanes.current.unrecorded).toBe(200)
    clock.advance(2_000)
    await expect.poll(() => engine.lanes.current.unrecorded).toBe(0)
    expect(await partsOf(engine, urls[1])).toEqual({ pending: 200 })
    // The deliveries in flight are kept in memory, and get no second attempt.
    open()
    await expect.poll(() => partsOf(engine, urls[1])).toEqual({ delivered: 200 })
    expect([healthy.requests.length, other.requests.length]).toEqual([200, 200])
  })
})

describe('a URL that the settings forbid', () => {
  const settings = { retryWindowMs: HOUR, retryDelaysMs: [MINUTE] }

  test('has its deliveries held, not rejected; after a restart with other settings they are delivered', async () => {
    using folder = new TemporaryFolder()
    const clock = new ManualClock()
    await using receiver = await openReceiver()
    {
      const sender = { allowedNetworks: [] }
      await using engine = await TestEngine.open({ ...settings, clock, sender }, folder)
      await to(engine, [`${receiver.url}/`])
      await engine.receive(20)
      await expect.poll(() => partsOf(engine, `${receiver.url}/`)).toEqual({ held: 20 })
      expect(
        engine.backend.catalog.current.destinations.get('dst_a')?.settings.webhooks[0]?.paused
          ?.reason,
      ).toBe('url_forbidden')
    }
    await using engine = await TestEngine.open({ ...settings, clock }, folder)
    await resumeForbidden(engine.backend.catalog, clock)
    await receiver.waitFor(20)
    await expect.poll(() => partsOf(engine, `${receiver.url}/`)).toEqual({ delivered: 20 })
  })

  test('has its deliveries rejected after their window', async () => {
    const clock = new ManualClock()
    await using engine = await TestEngine.open({
      ...settings,
      clock,
      sender: { allowedNetworks: [] },
    })
    await to(engine, ['http://127.0.0.1:8080/'])
    await engine.receive(3)
    await expect.poll(() => partsOf(engine, 'http://127.0.0.1:8080/')).toEqual({ held: 3 })
    clock.advance(HOUR)
    // The next check after the window.
    clock.advance(MINUTE)
    await expect.poll(() => partsOf(engine, 'http://127.0.0.1:8080/')).toEqual({ rejected: 3 })
  })
})

test('closing the breaker manually delivers the backlog immediately', async () => {
  await using stack = new AsyncDisposableStack()
  const { other, engine, urls } = await openTwo(stack)
  other.respond = () => 500
  await engine.receive(10)
  await expect.poll(() => engine.openBreakers).toBe(1)
  await engine.receive(30)
  await expect.poll(async () => (await partsOf(engine, urls[1])).pending).toBe(30)
  other.respond = () => 200
  await engine.lanes.command({
    command: 'closeBreakers',
    webhooks: [{ destinationId: 'dst_a', url: urls[1] }],
  })
  await other.waitFor(40)
})

test('a manual retry is attempted immediately, as the probe of the breaker', async () => {
  await using stack = new AsyncDisposableStack()
  const { clock, other, engine, urls } = await openTwo(stack)
  other.respond = () => 500
  await engine.receive(10)
  await expect.poll(() => engine.openBreakers).toBe(1)
  await engine.receive(30)
  await expect.poll(async () => (await partsOf(engine, urls[1])).pending).toBe(30)
  clock.advance(1)
  other.respond = () => 200
  await engine.lanes.command({
    command: 'retryNow',
    webhooks: [{ destinationId: 'dst_a', url: urls[1] }],
  })
  await other.waitFor(40)
  expect(engine.openBreakers).toBe(0)
})

test('a manual retry does not wait for the retry delay', async () => {
  const clock = new ManualClock()
  await using receiver = await openReceiver({ respond: 500 })
  await using engine = await TestEngine.open({ ...patient, clock })
  const url = `${receiver.url}/`
  await to(engine, [url])
  await engine.receive(5)
  await expect
    .poll(async () => (await engine.deliveries({})).map(({ attemptCount }) => attemptCount))
    .toEqual([1, 1, 1, 1, 1])
  receiver.respond = () => 200
  await engine.lanes.command({ command: 'retryNow', webhooks: [{ destinationId: 'dst_a', url }] })
  await expect.poll(() => partsOf(engine, url)).toEqual({ delivered: 5 })
})
