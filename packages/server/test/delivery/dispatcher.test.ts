import { describe, expect, test } from 'vitest'
import { type Backend, BackendUnavailable } from '../../src/backend/backend.ts'
import { TestEngine } from '../harness/test-engine.ts'
import { openReceiver } from '../harness/receiver.ts'
import { TemporaryFolder } from '../harness/temporary-folder.ts'

const never = (): Promise<never> => new Promise(() => undefined)

describe('lanes', () => {
  test('a receiver that never answers does not hold up another one', async () => {
    await using slow = await openReceiver({ respond: never })
    await using healthy = await openReceiver()
    await using engine = await TestEngine.open({
      limits: { laneConcurrency: 4, laneWindow: 8 },
    })
    await engine.destination('dst_slow', slow.url)
    await engine.destination('dst_healthy', healthy.url)
    await engine.receive(200)
    await healthy.waitFor(200)
    // The slow lane holds what it may, four of them in flight; the rest is parked in the database.
    await expect.poll(() => slow.requests.length).toBe(4)
    const parked = await engine.deliveries({ destinationId: 'dst_slow' })
    expect(parked.length).toBeGreaterThanOrEqual(200 - 8)
    expect(parked.every(({ state, rounds }) => state === 'pending' && rounds === 0)).toBe(true)
    // The rounds that are still under way end when the receiver breaks them off.
    await slow[Symbol.asyncDispose]()
  })

  test('a lane never has more in flight than a quarter of the node', async () => {
    await using slow = await openReceiver({ respond: never })
    await using engine = await TestEngine.open({
      limits: { maxInFlight: 12, laneConcurrency: 64 },
    })
    await engine.destination('dst_slow', slow.url)
    await engine.receive(50)
    await slow.waitFor(3)
    await expect.poll(() => engine.deliveries({ destinationId: 'dst_slow' })).toHaveLength(0)
    expect(slow.requests).toHaveLength(3)
    // The rounds that are still under way end when the receiver breaks them off.
    await slow[Symbol.asyncDispose]()
  })

  test('what a full lane parked is delivered when the receiver keeps up again, each event once', async () => {
    const { promise: opened, resolve: open } = Promise.withResolvers<void>()
    await using receiver = await openReceiver({ respond: () => opened.then(() => 200) })
    await using engine = await TestEngine.open({
      limits: { laneConcurrency: 4, laneWindow: 8 },
    })
    await engine.destination('dst_a', receiver.url)
    const events = await engine.receive(100)
    await expect.poll(() => engine.deliveries({ destinationId: 'dst_a' })).toHaveLength(92)
    open()
    await expect
      .poll(
        async () => (await engine.deliveries({})).filter(({ state }) => state === 'delivered'),
        { timeout: 5000 },
      )
      .toHaveLength(100)
    const ids = receiver.requests.map(({ headers }) => headers['webhook-id'])
    expect(new Set(ids).size).toBe(events.length)
    expect(ids).toHaveLength(events.length)
  })
})

test('what still waits in its lane when a destination is turned off is parked, not sent', async () => {
  const { promise: opened, resolve: open } = Promise.withResolvers<void>()
  await using receiver = await openReceiver({ respond: () => opened.then(() => 200) })
  await using engine = await TestEngine.open({ limits: { laneConcurrency: 1 } })
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
  test('survive a restart and are tried again with the same webhook-id', async () => {
    using folder = new TemporaryFolder()
    await using receiver = await openReceiver({ respond: [500, 200] })
    {
      await using engine = await TestEngine.open({ retryDelaysMs: [200] }, folder)
      await engine.destination('dst_a', receiver.url)
      await engine.receive(1)
      await expect
        .poll(() => engine.deliveries({}))
        .toMatchObject([{ state: 'pending', rounds: 1 }])
    }
    await using engine = await TestEngine.open({}, folder)
    await expect
      .poll(() => engine.deliveries({}))
      .toMatchObject([{ state: 'delivered', rounds: 2 }])
    const [first, second] = receiver.requests
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
    expect(second?.headers['x-hookline-attempt']).toBe('2')
  })

  test('wait while their destination is off, and go on when it is on again', async () => {
    await using receiver = await openReceiver({ respond: [500, 200] })
    await using engine = await TestEngine.open({ retryDelaysMs: [50] })
    const destination = await engine.destination('dst_a', receiver.url)
    await engine.receive(1)
    await receiver.waitFor(1)
    await engine.backend.catalog.putDestination({ ...destination, enabled: false, version: 2 })
    // One that is on shows that the feed has passed by meanwhile.
    await using other = await openReceiver({ respond: [500, 500, 500, 200] })
    await engine.destination('dst_b', other.url)
    await engine.receive(1)
    await other.waitFor(4)
    expect(receiver.requests).toHaveLength(1)
    await engine.backend.catalog.putDestination({ ...destination, version: 3 })
    await receiver.waitFor(2)
  })

  test('of a removed destination end rejected', async () => {
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

describe('a backend that is away for a while', () => {
  /** The backend with `record` and `archive` failing while `isAway`. */
  function failing(isAway: () => boolean) {
    return (backend: Backend): Backend => {
      const { deliveries, events } = backend
      const orAway = async <T>(work: () => Promise<T>): Promise<T> => {
        if (isAway()) throw new BackendUnavailable('away, by the test')
        return work()
      }
      return {
        ...backend,
        deliveries: {
          record: (records) => orAway(() => deliveries.record(records)),
          claim: (id, options) => orAway(() => deliveries.claim(id, options)),
          release: (ids) => deliveries.release(ids),
          nextDue: () => orAway(() => deliveries.nextDue()),
          unhold: (id, now) => orAway(() => deliveries.unhold(id, now)),
          find: (id) => deliveries.find(id),
          list: (filter, page) => deliveries.list(filter, page),
        },
        events: {
          archive: (entries) => orAway(() => events.archive(entries)),
          find: (id) => events.find(id),
          list: (filter, page) => events.list(filter, page),
        },
      }
    }
  }

  test('costs no event and no second request: what was sent is recorded when it is back', async () => {
    let isAway = false
    await using receiver = await openReceiver({
      respond: () => {
        isAway = true
        return 200
      },
    })
    await using engine = await TestEngine.open({ through: failing(() => isAway) })
    await engine.destination('dst_a', receiver.url)
    await engine.receive(1)
    await receiver.waitFor(1)
    await engine.receive(1)
    expect(await engine.deliveries({})).toHaveLength(0)
    receiver.respond = () => 200
    isAway = false
    await expect
      .poll(async () => (await engine.deliveries({})).map(({ state }) => state), { timeout: 5000 })
      .toEqual(['delivered', 'delivered'])
    expect(receiver.requests).toHaveLength(2)
  })
})

test('a graceful stop ends and records what is in flight, and the rest comes after the restart', async () => {
  using folder = new TemporaryFolder()
  const { promise: opened, resolve: open } = Promise.withResolvers<void>()
  await using receiver = await openReceiver({ respond: () => opened.then(() => 200) })
  const limits = { laneConcurrency: 2 }
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
