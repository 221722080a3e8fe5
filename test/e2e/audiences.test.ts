import type { Json } from '@hookline/protocol'
import { expect, test } from 'vitest'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { ReceivedAudiences } from '@hookline/testing/audiences/received-audiences'
import { type RunningService, startService } from '@hookline/testing/service/running-service'

interface Computation {
  readonly id: string
  readonly key: string
  readonly state: string
}

const audience = (service: RunningService, body: object) =>
  service.api.call<Computation>('POST', 'audiences', body)

/** The stored members, in order. */
async function membersOf({ api }: RunningService, id: string): Promise<readonly string[]> {
  const path = `audiences/${id}/members?limit=200`
  const { data } = await api.call<{ data: { userId: string }[] }>('GET', path)
  return data.map(({ userId }) => userId).toSorted()
}

async function valuesOf({ api }: RunningService, id: string): Promise<Record<string, Json>> {
  const path = `traits/${id}/values?limit=200`
  const { data } = await api.call<{ data: { userId: string; value: Json }[] }>('GET', path)
  return Object.fromEntries(data.map(({ userId, value }) => [userId, value]))
}

async function listening() {
  const view = new ReceivedAudiences()
  const receiver = await openReceiver({
    respond: ({ body }) => {
      view.receive(body)
      return 200
    },
  })
  return { view, receiver }
}

const PRO = { trait: 'plan', op: 'equals', value: 'pro' }
const identify = (userId: string, plan: string | null) => ({
  type: 'identify',
  userId,
  traits: { plan },
})
const order = (userId: string, revenue: number) => ({
  type: 'track',
  event: 'Order Completed',
  userId,
  properties: { revenue },
})

test('a receiver can rebuild every audience and computed trait from its requests', async () => {
  const { view, receiver } = await listening()
  await using _ = receiver
  await using service = await startService()
  const destinationIds = [await service.createDestination({ urls: [receiver.url] })]
  const send = (...batch: object[]) => service.send('/v1/batch', { batch })
  await send(identify('u1', 'pro'), identify('u2', 'free'), order('u2', 30), order('u3', 10))
  const pro = await audience(service, { name: 'Pro', destinationIds, condition: PRO })
  const recent = { event: 'Order Completed', within: { seconds: 2 } }
  const buyers = await audience(service, { name: 'Buyers', destinationIds, condition: recent })
  const both = { or: [{ audience: pro.id }, { computedTrait: 'spent', op: '>', value: 35 }] }
  const spent = await service.api.call<Computation>('POST', 'traits', {
    name: 'Spent',
    destinationIds,
    compute: { fn: 'sum', event: 'Order Completed', property: 'revenue' },
  })
  const good = await audience(service, { name: 'Good', destinationIds, condition: both })
  const list = await audience(service, { name: 'List', destinationIds, manual: true })
  const allReceived = () =>
    service.eventually(async () => {
      expect(view.valuesOf('spent')).toMatchObject({ u4: 5 })
      for (const { id, key } of [pro, buyers, good, list])
        expect([key, view.members(key)]).toEqual([key, await membersOf(service, id)])
      expect(view.valuesOf('spent')).toEqual(await valuesOf(service, spent.id))
    })
  await service.eventually(() => expect(view.members('good')).toEqual(['u1']))
  await service.api.call('PUT', `audiences/${list.id}/members`, { add: ['u1', 'u9'] })
  await send(identify('u1', 'free'), identify('u4', 'pro'), order('u2', 10))
  await service.eventually(() => expect(view.members('good')).toEqual(['u2', 'u4']))
  await service.restart()
  await service.api.call('PUT', `audiences/${list.id}/members`, { remove: ['u9'] })
  // An anonymous order, later linked to u4.
  await send({ ...order('', 5), userId: undefined, anonymousId: 'visitor' }, identify('u2', null))
  await send({ type: 'alias', previousId: 'visitor', userId: 'u4' })
  await service.eventually(() => expect(view.members('list')).toEqual(['u1']))
  // A shared device: its anonymous events belong to its first user, even if that user is identified late.
  const kiosk = { anonymousId: 'kiosk' }
  await send(
    { ...order('', 3), userId: undefined, ...kiosk },
    { ...identify('u6', 'free'), ...kiosk },
  )
  await service.eventually(() => expect(view.valuesOf('spent')).toMatchObject({ u6: 3 }))
  const timestamp = new Date(Date.now() - 3_600_000).toISOString()
  await send({ ...identify('u5', 'pro'), ...kiosk, timestamp })
  await service.eventually(() => expect(view.valuesOf('spent')).toMatchObject({ u5: 3 }))
  // No one buys any more.
  await service.eventually(() => expect(view.members('buyers')).toEqual([]))
  await allReceived()
  expect(view.valuesOf('spent')).toEqual({ u2: 40, u3: 10, u4: 5, u5: 3, u6: 0 })
  expect(view.contradictions).toEqual([])
})

test('an added destination receives every member, a removed one nothing, and a deletion can announce all exits', async () => {
  const [first, second] = [await listening(), await listening()]
  await using _first = first.receiver
  await using _second = second.receiver
  await using service = await startService()
  const one = await service.createDestination({ urls: [first.receiver.url] })
  const two = await service.createDestination({ urls: [second.receiver.url] })
  const send = (...batch: object[]) => service.send('/v1/batch', { batch })
  await send(identify('u1', 'pro'), identify('u2', 'pro'))
  const { id } = await audience(service, { name: 'Pro', destinationIds: [one], condition: PRO })
  await service.eventually(() => expect(first.view.members('pro')).toEqual(['u1', 'u2']))
  expect(second.view.count).toBe(0)
  await service.api.call('PATCH', `audiences/${id}`, { destinationIds: [two] })
  await service.eventually(() => expect(second.view.members('pro')).toEqual(['u1', 'u2']))
  await send(identify('u3', 'pro'))
  await service.eventually(() => expect(second.view.members('pro')).toEqual(['u1', 'u2', 'u3']))
  expect(first.view.count).toBe(2)
  await service.api.call('DELETE', `audiences/${id}?announce=true`)
  await service.eventually(() => expect(second.view.members('pro')).toEqual([]))
  await service.eventually(async () => {
    expect((await service.api.request('GET', `audiences/${id}`)).status).toBe(404)
  })
  expect(second.view.count).toBe(6)
})
