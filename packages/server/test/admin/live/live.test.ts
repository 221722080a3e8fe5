import { expect, test } from 'vitest'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import { AdminServer } from '../admin-server.ts'
import { LiveReader } from './live-reader.ts'
import { receiveMany } from './receive-many.ts'

test('an event is sent as soon as it is stored, with its decisions', async () => {
  await using server = await AdminServer.open()
  await using reader = await LiveReader.open(server)
  const event = acceptedEvent({ userId: 'u1', event: 'Order Completed' })
  server.live.received([event])
  server.live.decided({ event, destinationId: 'dst_a', decision: 'destination_disabled' })
  const [first, second] = await reader.messages(2)
  expect(first).toMatchObject({
    name: 'event',
    data: {
      eventId: event.id,
      name: 'Order Completed',
      userId: 'u1',
      at: '2026-01-15T12:00:00.000Z',
    },
  })
  expect(second).toMatchObject({
    name: 'decision',
    data: { destinationId: 'dst_a', decision: 'declined', reason: 'destination_disabled' },
  })
})

test('a comment is sent every 15 seconds, with the id to continue from', async () => {
  await using server = await AdminServer.open()
  await using reader = await LiveReader.open(server, '?kind=attempt')
  await reader.said('retry: 1000')
  server.live.received([acceptedEvent()])
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
  server.clock.advance(14_999)
  server.clock.advance(1)
  await reader.said(': heartbeat')
  expect(reader.text).toContain(`id: ${server.topics.run}-1\n: heartbeat\n\n`)
})

test('a stream ends when its token is removed, and when the server stops', async () => {
  const server = await AdminServer.open()
  const body = { name: 'watcher', role: 'viewer' }
  const { id, token } = await server.must<{ id: string; token: string }>('POST', '/tokens', {
    body,
  })
  await using theirs = await LiveReader.open(server, '', { authorization: `Bearer ${token}` })
  await using ours = await LiveReader.open(server)
  await server.must('DELETE', `/tokens/${id}`)
  server.clock.advance(15_000)
  await theirs.ended()
  expect(ours.hasEnded).toBe(false)
  await server[Symbol.asyncDispose]()
  await ours.ended()
})

test('a stalled reader receives the number of missed events', async () => {
  await using server = await AdminServer.open()
  await using reader = await LiveReader.open(server)
  await reader.said('retry')
  reader.pause()
  await receiveMany(server)
  reader.resume()
  await reader.said('event: gap')
  expect(reader.text).toMatch(/event: gap\ndata: \{"reason":"reader_too_slow","missed":\d+\}/)
})

test('of 3,000 events, over three reconnects, none is missing or repeated', async () => {
  await using server = await AdminServer.open()
  await using reader = await LiveReader.open(server, '?kind=event')
  await reader.said('retry')
  const sent: string[] = []
  for (let tick = 0; tick < 300; tick += 1) {
    const events = Array.from({ length: 10 }, () => acceptedEvent())
    sent.push(...events.map(({ id }) => id))
    server.live.received(events)
    if ([75, 150, 225].includes(tick)) await reader.reconnect()
    await new Promise((resolve) => setImmediate(resolve))
  }
  const got = () => reader.all().map(({ data }) => data['eventId'])
  await expect.poll(() => got().length).toBe(sent.length)
  expect(got()).toEqual(sent)
})
