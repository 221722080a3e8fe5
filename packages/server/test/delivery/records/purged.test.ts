import { newId } from '@hookline/protocol'
import { expect, test } from 'vitest'
import { TestEngine } from '@hookline/testing/engine/test-engine'
import { purgeAll } from '@hookline/testing/engine/purge-all'
import { openReceiver } from '@hookline/testing/receiver/receiver'

/** Purges the user of all events in these tests. */
async function purge({ backend: { deletions } }: TestEngine): Promise<void> {
  const now = Date.now()
  const deletionId = newId('del', now)
  const request = { id: deletionId, createdAt: now, sourceIds: null, suppress: false, users: 1 }
  await deletions.create(request, { userIds: ['u1'] })
  const slice = { deletionId, userIds: ['u1'], sourceIds: null }
  await purgeAll(deletions, slice)
}

async function left({ backend }: TestEngine): Promise<number> {
  const events = await backend.events.list({}, { limit: 200 })
  const deliveries = await backend.deliveries.list({}, { limit: 200 })
  return events.data.length + deliveries.data.length
}

test("a purged user's deliveries in a lane are not attempted, and the attempt in flight is not recorded", async () => {
  const { promise: opened, resolve: answer } = Promise.withResolvers<void>()
  await using receiver = await openReceiver({ respond: () => opened.then(() => 500) })
  await using engine = await TestEngine.open({ limits: { maxConcurrencyPerWebhook: 1 } })
  await engine.destination('dst_a', receiver.url)
  await engine.receive(20)
  await receiver.waitFor(1)
  await expect.poll(() => engine.lanes.current.inMemory).toBe(20)
  await purge(engine)
  answer()
  await expect.poll(() => engine.lanes.current.inMemory).toBe(0)
  await engine.settled()
  expect(receiver.requests).toHaveLength(1)
  expect(await left(engine)).toBe(0)
  expect(engine.lanes.current.imbalance).toBe(0)
})

test('a delivery whose user is purged during the attempt counts neither as complete nor as parked', async () => {
  for (const status of [200, 500]) {
    const { promise: opened, resolve: answer } = Promise.withResolvers<void>()
    await using receiver = await openReceiver({ respond: () => opened.then(() => status) })
    await using engine = await TestEngine.open()
    await engine.destination('dst_a', receiver.url)
    await engine.receive(1)
    await receiver.waitFor(1)
    await purge(engine)
    answer()
    await expect.poll(() => engine.lanes.current.inMemory).toBe(0)
    await engine.settled()
    const { deliveriesEnded, deliveriesParked } = engine.metrics
    const counts = [await deliveriesEnded.get(), await deliveriesParked.get()]
    const total = counts.flatMap(({ values }) => values.map(({ value }) => value))
    expect([status, total.filter((count) => count > 0)]).toEqual([status, []])
  }
})

test("a purged user's parked deliveries are not retried, and other users are not affected", async () => {
  await using receiver = await openReceiver({ respond: [500, 500, 200] })
  // Long enough for the purge to finish first, even on a busy machine.
  await using engine = await TestEngine.open({ retryDelaysMs: [5_000] })
  await engine.destination('dst_a', receiver.url)
  await engine.receive(2)
  const parked = async (): Promise<number> =>
    (await engine.deliveries({})).filter(({ attemptCount }) => attemptCount === 1).length
  await expect.poll(parked).toBe(2)
  await purge(engine)
  expect(await left(engine)).toBe(0)
  const [event] = await engine.receive(1)
  await expect
    .poll(() => engine.deliveries({ eventId: event!.id }))
    .toMatchObject([{ state: 'delivered' }])
  await engine.settled()
  expect(receiver.requests).toHaveLength(3)
  expect(engine.lanes.current.imbalance).toBe(0)
})

test('deliveries waiting for their purge are not claimed repeatedly, and others are delivered', async () => {
  await using receiver = await openReceiver({ respond: 500 })
  await using engine = await TestEngine.open({ retryDelaysMs: [3_000] })
  await engine.destination('dst_a', receiver.url)
  await engine.receive(3)
  const parked = async (): Promise<number> =>
    (await engine.deliveries({})).filter(({ attemptCount }) => attemptCount === 1).length
  await expect.poll(parked).toBe(3)
  // From now on the user counts as purged, but the purge has reached only another user.
  const now = Date.now()
  const { deletions } = engine.backend
  const id = newId('del', now)
  const request = { id, createdAt: now, sourceIds: null, suppress: false, users: 2 }
  await deletions.create(request, { userIds: ['u1', 'u2'] })
  const purging = { deletionId: id, userIds: ['u1', 'u2'], sourceIds: null }
  const cursor = JSON.stringify({ user: 1, column: 0, afterSeq: 0 })
  await purgeAll(deletions, { ...purging, cursor })
  receiver.respond = () => 200
  await expect.poll(() => Date.now() - now).toBeGreaterThan(3_200)
  const [event] = await engine.receive(1)
  await expect
    .poll(() => engine.deliveries({ eventId: event!.id }))
    .toMatchObject([{ state: 'delivered' }])
  expect(receiver.requests).toHaveLength(4)
  expect(await left(engine)).toBe(8)
  await purge(engine)
  await expect.poll(() => left(engine)).toBeLessThanOrEqual(2)
  await engine.settled()
  expect(engine.lanes.current.imbalance).toBe(0)
})

test('a log entry of a purged user is acked, so it is not redelivered after a restart', async () => {
  const { promise: opened, resolve: answer } = Promise.withResolvers<void>()
  await using receiver = await openReceiver({ respond: () => opened.then(() => 200) })
  await using engine = await TestEngine.open({ limits: { maxConcurrencyPerWebhook: 1 } })
  await engine.destination('dst_a', receiver.url)
  await engine.receive(3)
  await receiver.waitFor(1)
  await purge(engine)
  answer()
  await expect.poll(() => engine.lanes.current.inMemory).toBe(0)
  // Retention removes only acked entries.
  const [later] = await engine.receive(1)
  await expect.poll(() => receiver.requests.length).toBe(2)
  const { upkeep, events } = engine.backend
  const removeLater = async (): Promise<boolean> => {
    await upkeep.removeOldest({})
    return (await events.find(later!.id)) === undefined
  }
  await expect.poll(removeLater).toBe(true)
})
