import { expect, test } from 'vitest'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import { computedEvent } from '@hookline/testing/records/computed-event'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { TestEngine } from '@hookline/testing/engine/test-engine'

test('a computed event is delivered to the enabled destinations it names, regardless of their source', async () => {
  await using receiver = await openReceiver()
  await using engine = await TestEngine.open()
  for (const [id, sourceId] of [
    ['dst_a', 'src_a'],
    ['dst_b', 'src_b'],
    ['dst_unnamed', 'src_a'],
  ] as const)
    await engine.destination(id, receiver.url, { sourceId })
  await engine.destination('dst_off', receiver.url, { enabled: false, enabledChangedAt: 7 })
  const event = computedEvent(['dst_a', 'dst_gone', 'dst_b', 'dst_off'])
  await engine.backend.log.append([event])
  await expect
    .poll(async () =>
      (await engine.deliveries({ eventId: event.id }))
        .filter(({ state }) => state === 'delivered')
        .map(({ destinationId }) => destinationId)
        .toSorted(),
    )
    .toEqual(['dst_a', 'dst_b'])
  const archived = await engine.backend.events.find(event.id)
  expect(archived?.declined).toEqual([
    { destinationId: 'dst_off', reason: 'destination_disabled', since: 7 },
  ])
  expect(await engine.deliveries({})).toHaveLength(2)
})

test('the receiver gets an ordinary identify call', async () => {
  await using receiver = await openReceiver()
  await using engine = await TestEngine.open()
  await engine.destination('dst_a', receiver.url)
  const computed = computedEvent()
  await engine.backend.log.append([computed])
  await receiver.waitFor(1)
  expect(JSON.parse(receiver.requests[0]!.body.toString())).toEqual({
    version: 1,
    type: 'identify',
    messageId: computed.event.messageId,
    userId: 'u1',
    traits: { big_spenders: true },
    context: {},
    timestamp: computed.event.timestamp,
  })
})

test('a computed event is acked if it names no existing destination', async () => {
  await using receiver = await openReceiver()
  await using engine = await TestEngine.open()
  await engine.destination('dst_a', receiver.url)
  const call = acceptedEvent()
  await engine.backend.log.append([computedEvent([]), computedEvent(['dst_gone'])])
  await engine.backend.log.append([call])
  await expect.poll(() => engine.deliveries({})).toMatchObject([{ eventId: call.id }])
  // Retention removes only acked events.
  const removed = async (): Promise<number> =>
    (await engine.backend.upkeep.removeOldest({})).removed
  let sum = 0
  await expect.poll(async () => (sum += await removed())).toBe(3)
})
