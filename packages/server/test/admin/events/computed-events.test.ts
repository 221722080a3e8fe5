import type { Destination } from '@hookline/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestContent } from '../../../src/admin/destinations/destination-actions.ts'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { newAudience, newDestination, newSource } from '@hookline/testing/records/catalog-records'
import { computedEvent } from '@hookline/testing/records/computed-event'
import { AdminServer } from '../admin-server.ts'

const tested: [Destination, TestContent][] = []
let server: AdminServer

beforeAll(async () => {
  server = await AdminServer.open({
    testDeliveries: {
      run: async (destination, content) => {
        tested.push([destination, content])
        return { deliveryId: 'msg_a', stored: '{}', formatted: '{}', webhooks: [] }
      },
    },
  })
  await server.backend.catalog.putAll({
    sources: [newSource({ name: 'Shop' })],
    destinations: ['dst_a', 'dst_b', 'dst_c'].map((id) => newDestination({ id })),
    computations: [newAudience({ id: 'aud_a', name: 'Big spenders' })],
  })
})
afterAll(() => server[Symbol.asyncDispose]())

test('the trace names the audience and the destinations of the event', async () => {
  const event = computedEvent(['dst_a', 'dst_gone', 'dst_b'], { at: NOON + 1 })
  await server.backend.log.append([event])
  const trace = await server.must<object>('GET', `/events/${event.id}`)
  expect(trace).toMatchObject({
    sourceId: 'aud_a',
    source: { id: 'aud_a', name: 'Big spenders' },
    event: { type: 'identify' },
    decisions: ['dst_a', 'dst_b'].map((destinationId) => ({ destinationId, decision: 'pending' })),
  })
})

test('the trace of an event whose audience was removed shows no name for it', async () => {
  const event = computedEvent([], { sourceId: 'aud_gone' })
  await server.backend.log.append([event])
  const trace = await server.must<object>('GET', `/events/${event.id}`)
  expect(trace).toMatchObject({ source: { id: 'aud_gone', name: null }, decisions: [] })
})

test('a test delivery sends a computed event only to its destinations', async () => {
  const [computed, call] = [computedEvent(['dst_a']), acceptedEvent()]
  await server.backend.log.append([computed, call])
  const testIt = (id: string, eventId: string) =>
    server.call<object>('POST', `/destinations/${id}/test`, { body: { eventId } })
  expect((await testIt('dst_a', computed.id)).status).toBe(200)
  expect((await testIt('dst_b', call.id)).status).toBe(200)
  const contents = tested.map(([{ id }, content]) => [id, content.id])
  expect(contents).toEqual([
    ['dst_a', computed.id],
    ['dst_b', call.id],
  ])
  const response = await testIt('dst_b', computed.id)
  expect(response.status).toBe(422)
  expect(response.text).toContain('unknown_event')
})
