import { expect, test } from 'vitest'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import { deliveryOf } from '../../backend/conformance/deliveries/recorded-delivery.ts'
import { AdminServer } from '../admin-server.ts'

test('a list of deliveries shows the name and the user of each event', async () => {
  await using server = await AdminServer.open()
  const event = acceptedEvent({ event: 'Order Completed', userId: 'u1' })
  await server.backend.log.append([event])
  await server.backend.deliveries.record([{ delivery: deliveryOf(event), attempts: [] }])
  const { data } = await server.must<{ data: object[] }>('GET', '/deliveries')
  expect(data).toMatchObject([
    { event: { type: 'track', name: 'Order Completed', userId: 'u1', anonymousId: null } },
  ])
})
