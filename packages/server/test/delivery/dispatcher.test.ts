import { describe, expect, test } from 'vitest'
import { type Backend, BackendUnavailableError } from '../../src/backend/backend.ts'
import { TestEngine } from '@hookline/testing/engine/test-engine'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'

const never = (): Promise<never> => new Promise(() => undefined)

describe('with a lane for each webhook', () => {
  test('a receiver that never responds does not delay other receivers', async () => {
    await using slow = await openReceiver({ respond: never })
    await using healthy = await openReceiver()
    await using engine = await TestEngine.open({
      limits: { maxConcurrencyPerWebhook: 4, webhookQueueSize: 8 },
      // Long enough that no attempt times out and is retried.
      sender: { timeoutMs: 60_000 },
    })
    await engine.destination('dst_slow', slow.url)
    await engine.destination('dst_healthy', healthy.url)
    await engine.receive(200)
    await healthy.waitFor(200)
    // The slow lane fills its window, with four attempts in flight. The rest is parked.
    await expect.poll(() => slow.requests.length).toBe(4)
    const parked = await engine.deliveries({ destinationId: 'dst_slow' })
    expect(parked.length).toBeGreaterThanOrEqual(200 - 8)
    expect(
      parked.every(({ state, attemptCount }) => state === 'pending' && attemptCount === 0),
    ).toBe(true)
    // The receiver ends the attempts in progress when it closes their connections.
    await slow[Symbol.asyncDispose]()
  })

  test("a lane has at most a quarter of the node's slots in flight", async () => {
    await using slow = await openReceiver({ respond: never })
    await using engine = await TestEngine.open({
      limits: { maxInFlight: 12, maxConcurrencyPerWebhook: 64 },
    })
    await engine.destination('dst_slow', slow.url)
    await engine.receive(50)
    await slow.waitFor(3)
    await expect.poll(() => engine.deliveries({ destinationId: 'dst_slow' })).toHaveLength(0)
    expect(slow.requests).toHaveLength(3)
    // The receiver ends the attempts in progress when it closes their connections.
    await slow[Symbol.asyncDispose]()
  })

  test('deliveries parked by a full lane are delivered once each when the receiver recovers', async () => {
    const { promise: opened, resolve: open } = Promise.withResolvers<void>()
    await using receiver = await openReceiver({ respond: () => opened.then(() => 200) })
    await using engine = await TestEngine.open({
      limits: { maxConcurrencyPerWebhook: 4, webhookQueueSize: 8 },
    })
    await engine.destination('dst_a', receiver.url)
    const events = await engine.receive(100)
    await expect.poll(() => engine.deliveries({ destinationId: 'dst_a' })).toHaveLength(92)
    open()
    await expect
      .poll(async () => (await engine.deliveries({})).filter(({ state }) => state === 'delivered'))
      .toHaveLength(100)
    const ids = receiver.requests.map(({ headers }) => headers['webhook-id'])
    expect(new Set(ids).size).toBe(events.length)
    expect(ids).toHaveLength(events.length)
  })
})

test('deliveries in the lane of a disabled destination are parked, not sent', async () => {
  const { promise: opened, resolve: open } = Promise.withResolvers<void>()
  await using receiver = await openReceiver({ respond: () => opened.then(() => 200) })
  await using engine = await TestEngine.open({ limits: { maxConcurrencyPerWebhook: 1 } })
  const destination = await engine.destination('dst_a', receiver.url)
  await engine.receive(5)
  await receiver.waitFor(1)
  await engine.backend.catalog.putDestination({ ...destination, enabled: false, version: 2 })
  open()
  await expect
    .poll(async () => (await engine.deliveries({})).map(({ state }) => state).toSorted())
    .toEqual(['delivered', 'pending', 'pending', 'pending', 'pending'])
  expect(receiver.requests).toHaveLength(1)
  await engine.backend.catalog.putDestination({ ...destination, version: 3 })
  await receiver.waitFor(5)
})

describe('parked deliveries', () => {
  test('survive a restart and are retried with the same webhook-id', async () => {
    using folder = new TemporaryFolder()
    await using receiver = await openReceiver({ respond: [500, 200] })
    {
      await using engine = await TestEngine.open({ retryDelaysMs: [2000] }, folder)
      await engine.destination('dst_a', receiver.url)
      await engine.receive(1)
      await expect
        .poll(() => engine.deliveries({}))
        .toMatchObject([{ state: 'pending', attemptCount: 1 }])
    }
    await using engine = await TestEngine.open({}, folder)
    await expect
      .poll(() => engine.deliveries({}))
      .toMatchObject([{ state: 'delivered', attemptCount: 2 }])
    const [first, second] = receiver.requests
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
    expect(second?.headers['x-hookline-attempt']).toBe('2')
  })

  test('wait while their destination is disabled, and are attempted when it is enabled again', async () => {
    await using receiver = await openReceiver({ respond: [500, 200] })
    await using engine = await TestEngine.open({ retryDelaysMs: [50] })
    const destination = await engine.destination('dst_a', receiver.url)
    await engine.receive(1)
    await receiver.waitFor(1)
    await engine.backend.catalog.putDestination({ ...destination, enabled: false, version: 2 })
    // Retries of an enabled destination show that the feed has run in the meantime.
    await using other = await openReceiver({ respond: [500, 500, 500, 200] })
    await engine.destination('dst_b', other.url)
    await engine.receive(1)
    await other.waitFor(4)
    expect(receiver.requests).toHaveLength(1)
    await engine.backend.catalog.putDestination({ ...destination, version: 3 })
    await receiver.waitFor(2)
  })

  test('of a removed destination are rejected', async () => {
    await using receiver = await openReceiver({ respond: 500 })
    await using engine = await TestEngine.open({ retryDelaysMs: [60_000] })
    await engine.destination('dst_a', receiver.url)
    await engine.receive(3)
    await expect.poll(() => engine.deliveries({})).toHaveLength(3)
    await engine.backend.catalog.removeDestination('dst_a')
    await expect
      .poll(async () => (await engine.deliveries({})).map(({ state }) => state))
      .toEqual(['rejected', 'rejected', 'rejected'])
    expect(receiver.requests).toHaveLength(3)
  })
})

describe('a temporarily unavailable backend', () => {
  /** The backend, unavailable for the engine's calls while `isUnavailable` returns true. */
  function failing(isUnavailable: () => boolean) {
    return (backend: Backend): Backend => {
      const { deliveries, events } = backend
      const orUnavailable = async <T>(work: () => Promise<T>): Promise<T> => {
        if (isUnavailable()) throw new BackendUnavailableError('simulated outage')
        return work()
      }
      return {
        ...backend,
        deliveries: {
          record: (records) => orUnavailable(() => deliveries.record(records)),
          claim: (lane, request) => orUnavailable(() => deliveries.claim(lane, request)),
          claimUnsplit: (limit) => orUnavailable(() => deliveries.claimUnsplit(limit)),
          release: (ids, lane) => deliveries.release(ids, lane),
          waiting: () => orUnavailable(() => deliveries.waiting()),
          find: (id) => deliveries.find(id),
          list: (filter, page) => deliveries.list(filter, page),
        },
        events: {
          archive: (entries) => orUnavailable(() => events.archive(entries)),
          findAll: (ids) => events.findAll(ids),
          decidedDestinations: (ids) => orUnavailable(() => events.decidedDestinations(ids)),
          find: (id) => events.find(id),
          list: (filter, page) => events.list(filter, page),
        },
      }
    }
  }

  test('loses no event and causes no second request: results are recorded once it is available again', async () => {
    let isUnavailable = false
    await using receiver = await openReceiver({
      respond: () => {
        isUnavailable = true
        return 200
      },
    })
    await using engine = await TestEngine.open({ through: failing(() => isUnavailable) })
    await engine.destination('dst_a', receiver.url)
    await engine.receive(1)
    await receiver.waitFor(1)
    await engine.receive(1)
    expect(await engine.deliveries({})).toHaveLength(0)
    receiver.respond = () => 200
    isUnavailable = false
    await expect
      .poll(async () => (await engine.deliveries({})).map(({ state }) => state))
      .toEqual(['delivered', 'delivered'])
    expect(receiver.requests).toHaveLength(2)
  })
})

test('a graceful stop records the attempts in flight, and the other deliveries are sent after the restart', async () => {
  using folder = new TemporaryFolder()
  const { promise: opened, resolve: open } = Promise.withResolvers<void>()
  await using receiver = await openReceiver({ respond: () => opened.then(() => 200) })
  const limits = { maxConcurrencyPerWebhook: 2 }
  const engine = await TestEngine.open({ limits }, folder)
  await engine.destination('dst_a', receiver.url)
  await engine.receive(10)
  await receiver.waitFor(2)
  const stopped = engine[Symbol.asyncDispose]()
  open()
  await stopped
  expect(receiver.requests).toHaveLength(2)
  await using again = await TestEngine.open({ limits }, folder)
  await expect
    .poll(async () => (await again.deliveries({})).filter(({ state }) => state === 'delivered'))
    .toHaveLength(10)
  expect(receiver.requests).toHaveLength(10)
})
