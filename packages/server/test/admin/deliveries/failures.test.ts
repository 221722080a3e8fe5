import { ATTEMPT_CLASSES, type Delivery } from '@hookline/protocol'
import { expect, test } from 'vitest'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import {
  attemptOf,
  deliveryOf,
  lastOf,
  partOf,
  recordDelivery,
} from '../../backend/conformance/deliveries/recorded-delivery.ts'
import { AdminServer, HEALTHY, lanesWith } from '../admin-server.ts'

const WEBHOOK = 'https://a.example/'

async function failedOnce({ backend }: AdminServer, destinationId: string): Promise<Delivery> {
  const event = acceptedEvent()
  const failed = attemptOf({ url: WEBHOOK, durationMs: 5, status: 503 })
  const dueAt = NOON + 1
  const webhooks = [partOf({ url: WEBHOOK, dueAt, lastAttempt: lastOf(failed) })]
  const delivery = deliveryOf(event, { destinationId, attemptCount: 1, dueAt, webhooks })
  await backend.log.append([event])
  await backend.deliveries.record([{ delivery, attempts: [failed] }])
  return delivery
}

test('failures are grouped, each group with its meaning and remedy', async () => {
  await using server = await AdminServer.open()
  await failedOnce(server, 'dst_a')
  const newest = [await failedOnce(server, 'dst_a'), await failedOnce(server, 'dst_b')]
  const answer = await server.must<{ data: object[] }>(
    'GET',
    '/deliveries/failures?destinationId=dst_b',
  )
  expect(answer).toEqual({
    isComplete: true,
    data: [
      {
        destinationId: 'dst_b',
        class: 'http_5xx',
        status: 503,
        count: 1,
        isComplete: true,
        firstSeenAt: '2026-01-15T12:00:00.000Z',
        lastSeenAt: '2026-01-15T12:00:00.000Z',
        sampleDeliveryId: newest[1]!.id,
        lastError: null,
        meaning: ATTEMPT_CLASSES.http_5xx.meaning,
        remedy: ATTEMPT_CLASSES.http_5xx.help,
      },
    ],
  })
})

test('failures at deleted destinations are only listed on request', async () => {
  await using server = await AdminServer.open()
  const { id: sourceId } = await server.must<{ id: string }>('POST', '/sources', {
    body: { name: 'web' },
  })
  const create = async (): Promise<string> => {
    const settings = { webhooks: [{ url: WEBHOOK }] }
    const body = { sourceId, type: 'Webhooks', settings }
    return (await server.must<{ id: string }>('POST', '/destinations', { body })).id
  }
  const [kept, deleted] = [await create(), await create()]
  for (const id of [kept, deleted, deleted]) await failedOnce(server, id)
  const listed = async (query = ''): Promise<object[]> =>
    (await server.must<{ data: object[] }>('GET', `/deliveries/failures${query}`)).data
  expect(await listed()).toMatchObject([{ count: 2 }, { count: 1 }])
  await server.must('DELETE', `/destinations/${deleted}`)
  expect(await listed()).toMatchObject([{ destinationId: kept }])
  expect(await listed(`?destinationId=${deleted}`)).toMatchObject([{ count: 2 }])
})

test('deliveries can be filtered by class, status and time', async () => {
  await using server = await AdminServer.open()
  const { id } = await failedOnce(server, 'dst_a')
  const ids = async (query: string): Promise<string[]> => {
    const page = await server.must<{ data: { id: string }[] }>('GET', `/deliveries?${query}`)
    return page.data.map((each) => each.id)
  }
  expect(await ids('class=http_5xx&status=503')).toEqual([id])
  expect(await ids('class=timeout')).toEqual([])
  expect(await ids('class=http_5xx&waiting=true')).toEqual([id])
  expect(await ids('waiting=false')).toEqual([])
  expect(await ids('from=2026-01-15T12:00:00Z&to=2026-01-15T12:00:01Z')).toEqual([id])
  expect(await ids('to=2026-01-15T12:00:00Z')).toEqual([])
  expect((await server.call('GET', '/deliveries?class=none')).status).toBe(400)
  expect((await server.call('GET', '/deliveries?waiting=maybe')).status).toBe(400)
})

test('a destination shows its health', async () => {
  await using server = await AdminServer.open({
    lanes: lanesWith(
      [WEBHOOK, 'https://b.example/'].map((url) => ({
        url,
        breaker: 'open',
        brokenSince: NOON - 5,
        openUntil: NOON + 5,
        retryAfterUntil: NOON + 7,
        pacePerSecond: 2.345,
        inFlight: 0,
      })),
    ),
    recentAttempts: {
      of: async () => ({ attempts: 4, delivered: 3, lastFailedAt: NOON, lastDeliveredAt: NOON }),
    },
  })
  const source = await server.must<{ id: string }>('POST', '/sources', { body: { name: 'web' } })
  const settings = { webhooks: [{ url: WEBHOOK }, { url: 'https://b.example' }] }
  const body = { sourceId: source.id, type: 'Webhooks', settings }
  const { id } = await server.must<{ id: string }>('POST', '/destinations', { body })
  await failedOnce(server, id)
  const webhooks = [partOf({ url: 'https://b.example/', state: 'held' })]
  await recordDelivery(server, { destinationId: id, state: 'held', webhooks })
  server.clock.advance(1_000)
  const row = { span: 'minute', start: NOON, sourceId: source.id, destinationId: id } as const
  await server.backend.statistics.add([
    { ...row, counts: { 'latency.49': 98, 'latency.73': 2 } },
    { ...row, start: NOON - 3_600_000, counts: { 'latency.73': 200 } },
    { ...row, destinationId: 'dst_other', counts: { 'latency.73': 200 } },
  ])
  expect(await server.must('GET', `/destinations/${id}`)).toMatchObject({
    health: {
      webhooks: [
        {
          url: 'https://a.example/',
          breaker: 'open',
          brokenSince: '2026-01-15T11:59:59.995Z',
          openUntil: '2026-01-15T12:00:00.005Z',
          retryAfterUntil: '2026-01-15T12:00:00.007Z',
          pacePerSecond: 2.3,
          pending: 1,
          held: 0,
          oldestPendingAt: '2026-01-15T12:00:00.000Z',
        },
        {
          url: 'https://b.example/',
          pending: 0,
          held: 1,
          oldestPendingAt: null,
        },
      ],
      pending: 1,
      held: 1,
      oldestPendingAt: '2026-01-15T12:00:00.000Z',
      oldestPendingAgeMs: 1_000,
      lastHour: {
        attempts: 4,
        delivered: 3,
        successRate: 0.75,
        lastFailedAt: '2026-01-15T12:00:00.000Z',
      },
      p95LatencyMs: 102,
    },
  })
})

test('after the system clock was set, a destination shows its health with the new time', async () => {
  await using server = await AdminServer.open({
    lanes: lanesWith([
      { ...HEALTHY, url: WEBHOOK, breaker: 'open', brokenSince: NOON - 5, openUntil: NOON + 5 },
    ]),
  })
  const source = await server.must<{ id: string }>('POST', '/sources', { body: { name: 'web' } })
  const body = { sourceId: source.id, type: 'Webhooks', settings: { webhooks: [{ url: WEBHOOK }] } }
  const { id } = await server.must<{ id: string }>('POST', '/destinations', { body })
  await failedOnce(server, id)
  server.clock.jump(3_600_000)
  expect(await server.must('GET', `/destinations/${id}`)).toMatchObject({
    health: {
      webhooks: [
        { brokenSince: '2026-01-15T12:59:59.995Z', openUntil: '2026-01-15T13:00:00.005Z' },
      ],
      oldestPendingAt: '2026-01-15T12:00:00.000Z',
      oldestPendingAgeMs: 3_600_000,
    },
  })
})
