import { expect, test } from 'vitest'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { seededRandom } from '@hookline/testing/run/seeded-random'
import { ThreadedEngine } from './threaded-engine.ts'

const never = (): Promise<never> => new Promise(() => undefined)
const HOUR_MS = 60 * 60_000
const NAMES = ['dst_a', 'dst_b', 'dst_c', 'dst_d']

test.each([1, 3])(
  'with %i threads, every event reaches every destination once',
  async (threads) => {
    await using receiver = await openReceiver()
    await using engine = await ThreadedEngine.open(threads)
    for (const id of NAMES) await engine.destination(id, `${receiver.url}/${id}`)
    await engine.receive(500)
    await receiver.waitFor(2_000)
    await expect.poll(() => engine.states()).toEqual({ delivered: 2_000 })
    expect(receiver.requests).toHaveLength(2_000)
    for (const id of NAMES)
      expect(receiver.requests.filter(({ path }) => path.endsWith(id))).toHaveLength(500)
    expect(engine.recorded.filter(({ isEnd }) => isEnd)).toHaveLength(2_000)
    expect(await engine.engine.status()).toMatchObject({
      inMemory: 0,
      unrecorded: 0,
      imbalance: { pipeline: 0, lanes: 0 },
    })
  },
)

test('a change to a destination resolves after its thread has applied it', async () => {
  await using before = await openReceiver()
  await using after = await openReceiver()
  await using engine = await ThreadedEngine.open(2)
  await engine.destination('dst_a', before.url)
  await engine.receive(1)
  await before.waitFor(1)
  const current = engine.backend.catalog.current.destinations.get('dst_a')!
  const settings = { ...current.settings, webhooks: [{ url: after.url, headers: {} }] }
  await engine.backend.catalog.putDestination({ ...current, settings, version: 2 })
  await engine.receive(20)
  await after.waitFor(20)
  expect(before.requests).toHaveLength(1)
})

test("a thread reports the state of its webhooks to main, and carries out main's commands", async () => {
  await using receiver = await openReceiver({ respond: 503 })
  await using engine = await ThreadedEngine.open(2)
  await engine.destination('dst_a', receiver.url)
  await engine.receive(60)
  await expect
    .poll(async () => (await engine.lanes.states(['dst_a', 'dst_x'])).get('dst_a'))
    .toMatchObject([{ url: receiver.url, breaker: 'open' }])
  expect((await engine.lanes.status()).openBreakers).toBe(1)
  receiver.respond = () => 200
  await engine.lanes.command({
    command: 'closeBreakers',
    webhooks: [{ destinationId: 'dst_a', url: receiver.url }],
  })
  await expect.poll(() => engine.states()).toEqual({ delivered: 60 })
})

test.each(['retryNow', 'closeBreakers'] as const)(
  'a thread that was not ready for the command %s carries it out after its restart',
  async (command) => {
    await using receiver = await openReceiver({ respond: 503 })
    await using engine = await ThreadedEngine.open(1)
    await engine.destination('dst_a', receiver.url, {
      retryWindowMs: 4 * HOUR_MS,
      retryScheduleMs: [HOUR_MS],
    })
    await engine.receive(1)
    await expect.poll(() => engine.states()).toEqual({ pending: 1 })
    receiver.respond = () => 200
    const [host] = engine.lanes.hosts
    host!.terminate()
    await expect.poll(() => host!.channel).toBeUndefined()
    await engine.lanes.command({
      command,
      webhooks: [{ destinationId: 'dst_a', url: receiver.url }],
    })
    await expect.poll(() => engine.states()).toEqual({ delivered: 1 })
  },
)

test("a webhook with a forbidden URL is paused in main's catalog", async () => {
  await using engine = await ThreadedEngine.open(1)
  await engine.destination('dst_a', 'http://10.0.0.1/')
  await engine.receive(1)
  await expect
    .poll(() => engine.backend.catalog.current.destinations.get('dst_a')!.settings.webhooks)
    .toMatchObject([{ paused: { reason: expect.any(String) } }])
})

test('the inspector accepts requests from threads', async () => {
  await using engine = await ThreadedEngine.open(2)
  await engine.destination('dst_a', 'http://inspector.internal/hook')
  await engine.receive(50)
  await expect.poll(() => engine.states()).toEqual({ delivered: 50 })
})

test('killing threads under load loses nothing, and few events arrive twice', async () => {
  const random = seededRandom(16)
  await using receiver = await openReceiver()
  await using engine = await ThreadedEngine.open(2)
  for (const id of NAMES) await engine.destination(id, `${receiver.url}/${id}`)
  const expected = new Set<string>()
  let inFlight = 0
  for (let kill = 0; kill < 4; kill++) {
    for (const { event } of await engine.receive(200))
      for (const id of NAMES) expected.add(`${id} ${event.messageId}`)
    const seen = receiver.requests.length
    await receiver.waitFor(seen + Math.floor(random() * 300))
    inFlight += (await engine.lanes.status()).unrecorded
    engine.lanes.hosts[kill % 2]!.terminate()
  }
  await expect.poll(() => engine.states()).toEqual({ delivered: expected.size })
  const arrived = receiver.requests.map(
    ({ path, body }) => `${path.split('/').at(-1)} ${JSON.parse(body.toString()).messageId}`,
  )
  expect(new Set(arrived)).toEqual(expected)
  expect(arrived.length - expected.size).toBeLessThanOrEqual(inFlight)
  expect(engine.failedPermanently).toEqual([])
  expect((await engine.engine.status()).imbalance).toEqual({ pipeline: 0, lanes: 0 })
})

test('the work of a killed thread is handed out once, even if the next thread is killed before its deliveries are looked up', async () => {
  const lookUps = Promise.withResolvers<void>()
  await using receiver = await openReceiver({ respond: never })
  await using engine = await ThreadedEngine.open(1, { lookUps: lookUps.promise })
  await engine.destination('dst_a', receiver.url)
  await engine.receive(200)
  await receiver.waitFor(1)
  const inFlight = 64
  const [host] = engine.lanes.hosts
  for (let kill = 0; kill < 2; kill++) {
    await host!.ready()
    host!.terminate()
    await expect.poll(() => host!.channel).toBeUndefined()
  }
  receiver.respond = () => 200
  await host!.ready()
  lookUps.resolve()
  await expect.poll(() => engine.states()).toEqual({ delivered: 200 })
  await engine.engine.status()
  expect(receiver.requests.length).toBeLessThanOrEqual(200 + inFlight)
})

test('the pipeline waits when a thread has reached its limit of unrecorded deliveries', async () => {
  const starts = Promise.withResolvers<void>()
  await using receiver = await openReceiver()
  await using engine = await ThreadedEngine.open(1, { starts: starts.promise })
  await engine.destination('dst_a', receiver.url)
  for (let appended = 0; appended < 8_000; appended += 1_000) await engine.receive(1_000)
  const unrecorded = async () => (await engine.lanes.status()).unrecorded
  await expect.poll(unrecorded).toBeGreaterThanOrEqual(4_096)
  // The pipeline checks before each slice of 500, and continues when the thread is ready.
  expect(await unrecorded()).toBeLessThan(4_096 + 500)
  starts.resolve()
  await expect.poll(() => engine.states()).toEqual({ delivered: 8_000 })
})
