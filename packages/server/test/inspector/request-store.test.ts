import { LIMITS, newId } from '@hookline/protocol'
import { expect, test } from 'vitest'
import { MAX_STORED, RequestStore } from '../../src/inspector/inspector.ts'
import { bodyFor } from '../../src/routing/body.ts'
import { NOON } from '@hookline/testing/records/accepted-event'
import { anInspectedRequest } from './an-inspected-request.ts'

const ALL = { limit: 1_000 }

function keeping(...requests: readonly ReturnType<typeof anInspectedRequest>[]): RequestStore {
  const kept = new RequestStore()
  for (const request of requests) kept.add(request)
  return kept
}

const allIn = (kept: RequestStore, filter = {}) => kept.newest(filter, ALL)

const idsIn = (kept: RequestStore) => allIn(kept).map(({ id }) => id)

test('keeps the last 500 requests, newest first', () => {
  const requests = Array.from({ length: 502 }, () => anInspectedRequest())
  const kept = keeping(...requests)
  const expected = requests.slice(2).toReversed()
  expect(idsIn(kept)).toEqual(expected.map(({ id }) => id))
  expect(kept.counts).toMatchObject({ stored: MAX_STORED.requests, received: 502 })
  expect(kept.find(requests[1]!.id)).toBeUndefined()
})

test('keeps at most 16 MiB, but always the newest request, even with the largest body', () => {
  const body = 'x'.repeat(LIMITS.payloadBytes)
  const requests = Array.from({ length: 6 }, () => anInspectedRequest(body))
  const kept = keeping(...requests)
  expect(kept.counts.bytes).toBeLessThanOrEqual(MAX_STORED.bytes)
  expect(idsIn(kept)).toEqual(
    requests
      .slice(-3)
      .toReversed()
      .map(({ id }) => id),
  )
})

test('counts the bytes of headers and of the event details from the body', () => {
  const headers = [['x', 'y'.repeat(100)]] as const
  const [small, large] = [
    keeping(anInspectedRequest()),
    keeping(anInspectedRequest({}, { headers })),
  ]
  expect(large.counts.bytes - small.counts.bytes).toBe(101)
})

test('finds requests by destination and delivery', () => {
  const [a, b] = [anInspectedRequest(), anInspectedRequest({}, { destinationId: 'dst_b' })]
  const kept = keeping(a, b)
  expect(allIn(kept, { destinationId: 'dst_b' })).toEqual([b])
  expect(allIn(kept, { deliveryId: a.deliveryId! })).toEqual([a])
  expect(allIn(kept, { deliveryId: a.deliveryId!, destinationId: 'dst_b' })).toEqual([])
})

test.for(['standard', 'cloudevents'] as const)('reads the event in the format %s', (format) => {
  const payload = { type: 'track', event: 'Order', messageId: 'm', timestamp: '', userId: 'u' }
  const content = { body: Buffer.from(JSON.stringify(payload)), sourceId: 'src_a' }
  const { body } = bodyFor({ format }, newId('msg', NOON), content)
  const { event } = anInspectedRequest(body.toString())
  expect(event).toMatchObject({ type: 'track', name: 'Order', messageId: 'm', userId: 'u' })
})

test('a recorded delivery identifies the destination of its requests if it was uncertain', () => {
  const deliveryId = newId('msg', NOON)
  const uncertain = { destinationId: null, deliveryId }
  const requests = [anInspectedRequest({}, uncertain), anInspectedRequest({}, uncertain)]
  const other = anInspectedRequest({}, { destinationId: null })
  const kept = keeping(...requests, other)
  kept.assignDestination(deliveryId, 'dst_b')
  kept.assignDestination(newId('msg', NOON), 'dst_c')
  expect(allIn(kept).map(({ destinationId }) => destinationId)).toEqual([null, 'dst_b', 'dst_b'])
})

const purge = (userIds: readonly string[], anonymousIds: readonly string[] = []) => ({
  userIds,
  anonymousIds,
  sourceIds: null,
})

test.each([
  [{ type: 'track', userId: 'u1' }, 0],
  [{ type: 'track', anonymousId: 'a1' }, 0],
  [{ type: 'track', userId: 'u2', anonymousId: 'a1' }, 0],
  [{ type: 'alias', 'Previous ID': 'u1', 'User ID': 'u2' }, 0],
  [{ type: 'alias', 'Previous ID': 'a2', 'User ID': 'u1' }, 0],
  [{ type: 'track', userId: 'u2', properties: { userId: 'u3' } }, 1],
  [{ type: 'delete', userId: 'u1' }, 1],
  [{ text: 'Refund for u1' }, 0],
  ['not JSON', 0],
])('a request with %j, after the purge of u1 and a1: %i remaining', (body, left) => {
  const kept = keeping(anInspectedRequest(body))
  kept.purge(purge(['u1'], ['a1']), NOON)
  expect(kept.counts.stored).toBe(left)
  if (left === 0) expect(kept.counts.bytes).toBe(0)
})

test('a request in flight during the purge is not stored, and one for a later event is', () => {
  const kept = new RequestStore()
  kept.purge(purge(['u1']), NOON)
  const body = { type: 'track', userId: 'u1' }
  const receivedAt = NOON + 3_000
  kept.add(anInspectedRequest(body, { receivedAt, deliveryId: newId('msg', NOON - 1) }))
  expect(kept.counts.stored).toBe(0)
  kept.add(anInspectedRequest(body, { receivedAt, deliveryId: newId('msg', NOON + 1) }))
  kept.add(anInspectedRequest({ ...body, userId: 'u2' }, { receivedAt }))
  kept.add(
    anInspectedRequest({ type: 'delete', userId: 'u1' }, { deliveryId: newId('msg', NOON - 1) }),
  )
  expect(kept.counts.stored).toBe(3)
})

test('a cleared inspector is empty, but keeps its count of received requests', () => {
  const kept = keeping(anInspectedRequest(), anInspectedRequest({}, { destinationId: null }))
  expect(kept.clear()).toBe(2)
  expect(kept.counts).toEqual({ stored: 0, bytes: 0, received: 2 })
})
