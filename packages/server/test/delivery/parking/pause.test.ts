import type { Destination } from '@hookline/protocol'
import { describe, expect, test } from 'vitest'
import { openEmbeddedBackend } from '../../../src/backend/embedded/open.ts'
import { TestEngine } from '@hookline/testing/engine/test-engine'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'

const HOUR = 60 * 60 * 1000
const paused = { since: 1, reason: 'operator' } as const

async function change(
  { backend: { catalog } }: TestEngine,
  id: string,
  changes: Partial<Destination>,
): Promise<void> {
  const current = catalog.current.destinations.get(id)!
  await catalog.putDestination({ ...current, ...changes, version: current.version + 1 })
}

const statesIn = async (engine: TestEngine): Promise<string[]> =>
  (await engine.deliveries({})).map(({ state }) => state).toSorted()

describe('while a destination is paused', () => {
  test('new deliveries are held; when it is resumed, all are delivered, with a new retry window', async () => {
    const clock = new ManualClock()
    await using receiver = await openReceiver()
    await using engine = await TestEngine.open({ clock })
    await engine.destination('dst_a', receiver.url, { paused })
    await engine.receive(600)
    await expect.poll(() => statesIn(engine)).toEqual(Array(600).fill('held'))
    expect((await engine.deliveries({})).every(({ dueAt }) => dueAt === null)).toBe(true)
    expect(receiver.requests).toHaveLength(0)
    clock.advance(5 * 60 * 60 * 1000)
    await change(engine, 'dst_a', { paused: null })
    await expect.poll(() => statesIn(engine)).toEqual(Array(600).fill('delivered'))
    expect(receiver.requests).toHaveLength(600)
    const [first] = await engine.deliveries({})
    expect(first?.webhooks[0]?.firstDueAt).toBe(clock.now())
  })

  test('parked deliveries and deliveries in its lane are held', async () => {
    const { promise: opened, resolve: open } = Promise.withResolvers<void>()
    await using receiver = await openReceiver({ respond: () => opened.then(() => 500) })
    const limits = { maxConcurrencyPerWebhook: 1, webhookQueueSize: 4 }
    // Neither the deadline of the attempt nor its retry occurs during the test.
    const never = { sender: { timeoutMs: HOUR }, retryDelaysMs: [HOUR], retryWindowMs: 4 * HOUR }
    await using engine = await TestEngine.open({ limits, ...never })
    await engine.destination('dst_a', receiver.url)
    await engine.receive(20)
    await receiver.waitFor(1)
    await expect.poll(() => engine.deliveries({})).toHaveLength(16)
    await change(engine, 'dst_a', { paused })
    open()
    await expect.poll(() => statesIn(engine)).toEqual(Array(20).fill('held'))
    expect(receiver.requests).toHaveLength(1)
  })

  test.each([
    ['is paused', 'held'],
    ['is removed', 'rejected'],
  ])(
    'an attempt in flight that fails after the destination %s is not retried',
    async (how, state) => {
      const { promise: opened, resolve: open } = Promise.withResolvers<void>()
      await using receiver = await openReceiver({ respond: () => opened.then(() => 500) })
      await using engine = await TestEngine.open({
        retryDelaysMs: [HOUR],
        retryWindowMs: 4 * HOUR,
      })
      await engine.destination('dst_a', receiver.url)
      await engine.receive(1)
      await receiver.waitFor(1)
      if (how === 'is paused') await change(engine, 'dst_a', { paused })
      else await engine.backend.catalog.removeDestination('dst_a')
      open()
      await expect.poll(() => statesIn(engine)).toEqual([state])
      expect(receiver.requests).toHaveLength(1)
    },
  )

  test('other destinations still get their deliveries', async () => {
    await using receiver = await openReceiver()
    await using engine = await TestEngine.open()
    await engine.destination('dst_a', receiver.url, { paused })
    await engine.destination('dst_b', receiver.url)
    await engine.receive(5)
    await receiver.waitFor(5)
    await expect
      .poll(() => statesIn(engine))
      .toEqual([...Array(5).fill('delivered'), ...Array(5).fill('held')])
  })

  test('its held deliveries are rejected when it is removed', async () => {
    await using receiver = await openReceiver()
    await using engine = await TestEngine.open()
    await engine.destination('dst_a', receiver.url, { paused })
    await engine.receive(3)
    await expect.poll(() => statesIn(engine)).toEqual(Array(3).fill('held'))
    await engine.backend.catalog.removeDestination('dst_a')
    await expect.poll(() => statesIn(engine)).toEqual(Array(3).fill('rejected'))
    expect(receiver.requests).toHaveLength(0)
  })
})

test('after a crash between the resume and the release of held deliveries, the next start releases them', async () => {
  using folder = new TemporaryFolder()
  await using receiver = await openReceiver()
  {
    await using engine = await TestEngine.open({}, folder)
    await engine.destination('dst_a', receiver.url, { paused })
    await engine.receive(3)
    await expect.poll(() => statesIn(engine)).toEqual(Array(3).fill('held'))
  }
  // Another process resumes the destination and does nothing else.
  {
    await using backend = await openEmbeddedBackend({
      dataDir: folder.path,
      maxWaitingBytes: 2 ** 20,
    })
    const current = backend.catalog.current.destinations.get('dst_a')!
    await backend.catalog.putDestination({ ...current, paused: null, version: 2 })
  }
  await using engine = await TestEngine.open({}, folder)
  await expect.poll(() => statesIn(engine)).toEqual(Array(3).fill('delivered'))
})

test('pausing and resuming during deliveries neither loses nor repeats any', async () => {
  await using receiver = await openReceiver()
  await using engine = await TestEngine.open({
    limits: { maxConcurrencyPerWebhook: 4, webhookQueueSize: 8 },
  })
  await engine.destination('dst_a', receiver.url)
  for (let round = 0; round < 20; round += 1) {
    await engine.receive(10)
    await change(engine, 'dst_a', { paused: round % 2 === 0 ? paused : null })
  }
  await expect.poll(() => statesIn(engine)).toEqual(Array(200).fill('delivered'))
  expect(receiver.requests).toHaveLength(200)
})

describe('with one paused webhook of several', () => {
  const twoWebhooks = (
    url: string,
    successPolicy: 'any' | 'each',
    isPaused: boolean,
  ): Destination['settings'] => ({
    sharedSecret: null,
    webhooks: [
      { url: `${url}/active`, headers: {} },
      { url: `${url}/paused`, headers: {}, ...(isPaused && { paused }) },
    ],
    successPolicy,
  })
  const paths = (requests: readonly { readonly path: string }[]): string[] =>
    requests.map(({ path }) => path.split('/').at(-1)!)

  test('and policy `any`, only the others are attempted; when it is resumed, the paused one gets each event once', async () => {
    await using receiver = await openReceiver({ respond: [200, 400, 200, 200] })
    await using engine = await TestEngine.open()
    const settings = twoWebhooks(receiver.url, 'any', true)
    await engine.destination('dst_a', receiver.url, { settings })
    await engine.receive(1)
    await expect.poll(() => statesIn(engine)).toEqual(['delivered'])
    await engine.receive(1)
    await expect.poll(() => statesIn(engine)).toEqual(['delivered', 'held'])
    expect(paths(receiver.requests)).toEqual(['active', 'active'])
    await change(engine, 'dst_a', { settings: twoWebhooks(receiver.url, 'any', false) })
    await expect.poll(() => statesIn(engine)).toEqual(['delivered', 'delivered'])
    await receiver.waitFor(4)
    expect(paths(receiver.requests).slice(2)).toEqual(['paused', 'paused'])
  })

  test('and policy `each`, the delivery is held once the others are done; when it is resumed, only the paused one is attempted', async () => {
    await using receiver = await openReceiver({ respond: [500, 200] })
    await using engine = await TestEngine.open()
    const settings = twoWebhooks(receiver.url, 'each', true)
    await engine.destination('dst_a', receiver.url, { settings })
    await engine.receive(1)
    await expect.poll(() => statesIn(engine)).toEqual(['held'])
    expect(paths(receiver.requests)).toEqual(['active', 'active'])
    await change(engine, 'dst_a', { settings: twoWebhooks(receiver.url, 'each', false) })
    await expect.poll(() => statesIn(engine)).toEqual(['delivered'])
    expect(paths(receiver.requests)).toEqual(['active', 'active', 'paused'])
  })
})
