import { formatTimestamp, type Delivery, type DeliveryState } from '@hookline/protocol'
import { describe, expect, test } from 'vitest'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { LANE, recordDelivery } from '../../backend/conformance/deliveries/recorded-delivery.ts'
import { AdminServer } from '../admin-server.ts'
import { errorsIn, type ProblemDocument } from '../problem-document.ts'

const HOUR = 60 * 60 * 1000

/** A server with a destination, and a count of worker wake-ups. */
async function open() {
  let woken = 0
  const server = await AdminServer.open({ wake: () => void (woken += 1) })
  const source = await server.must<{ id: string }>('POST', '/sources', { body: { name: 'web' } })
  const settings = { webhookUrl: LANE.url }
  const body = { sourceId: source.id, type: 'Webhooks', settings }
  const { id } = await server.must<{ id: string }>('POST', '/destinations', { body })
  return { server, destinationId: id, woken: () => woken }
}

function keep(
  server: AdminServer,
  destinationId: string,
  state: DeliveryState,
  at = NOON - HOUR,
): Promise<Delivery> {
  const event = acceptedEvent({ at, receivedAt: formatTimestamp(at) })
  return recordDelivery(server, { destinationId, state, attemptCount: 1, firstDueAt: at }, event)
}

describe('a replay', () => {
  test('is created, shown, listed and cancelled', async () => {
    const { server, destinationId, woken } = await open()
    await using _closing = server
    const from = formatTimestamp(NOON - HOUR)
    const body = { destinationId, from, types: ['track'], text: 'x', ratePerSecond: 5 }
    const answer = await server.call<{ id: string }>('POST', '/replays', { body })
    expect(answer.status).toBe(201)
    const created = {
      id: expect.stringMatching(/^rpl_[0-9a-z]{26}$/),
      state: 'queued',
      destinationId,
      states: ['rejected', 'expired'],
      from,
      to: formatTimestamp(NOON),
      types: ['track'],
      text: 'x',
      includeDeclined: false,
      ratePerSecond: 5,
      scanned: 0,
      requeued: 0,
      delivered: 0,
      failed: 0,
      reachedAt: null,
      createdAt: formatTimestamp(NOON),
      finishedAt: null,
    }
    expect(answer.body).toEqual(created)
    expect(answer.headers.get('location')).toBe(`/api/v1/replays/${answer.body.id}`)
    expect(woken()).toBe(1)
    const path = `/replays/${answer.body.id}`
    expect(await server.must('GET', path)).toEqual(created)
    expect(await server.must('GET', '/replays')).toEqual({ data: [created], nextCursor: null })
    server.clock.advance(5)
    const cancelled = { ...created, state: 'cancelled', finishedAt: formatTimestamp(NOON + 5) }
    expect(await server.must('POST', `${path}/cancel`)).toEqual(cancelled)
    expect(await server.must('POST', `${path}/cancel`)).toEqual(cancelled)
    expect((await server.call('GET', '/replays/rpl_none')).status).toBe(404)
    expect((await server.call('POST', '/replays/rpl_none/cancel')).status).toBe(404)
  })

  test('with dryRun only counts', async () => {
    const { server, destinationId } = await open()
    await using _closing = server
    for (const state of ['rejected', 'expired', 'expired', 'delivered', 'held'] as const)
      await keep(server, destinationId, state)
    await keep(server, 'dst_other', 'rejected')
    await keep(server, destinationId, 'expired', NOON - 2 * HOUR)
    const count = async (body: object): Promise<object> =>
      server.must('POST', '/replays', { body: { destinationId, dryRun: true, ...body } })
    expect(await count({})).toEqual({ dryRun: true, matches: 4 })
    expect(await count({ states: ['delivered'] })).toEqual({ dryRun: true, matches: 1 })
    const from = formatTimestamp(NOON - HOUR)
    expect(await count({ from })).toEqual({ dryRun: true, matches: 3 })
    expect(await server.must('GET', '/replays')).toEqual({ data: [], nextCursor: null })
  })

  test.for([
    [{}, ['/destinationId required']],
    [
      { destinationId: 'dst_none', from: 'yesterday' },
      ['/destinationId unknown_destination', '/from invalid_format'],
    ],
    [{ from: '2030-01-01' }, ['/from out_of_range']],
    [
      { states: ['pending'], ratePerSecond: 0 },
      ['/states/0 not_allowed', '/ratePerSecond out_of_range'],
    ],
    [{ text: '', typ: 'track' }, ['/typ unknown_field', '/text too_short']],
  ] as const)('with invalid fields is refused: %j', async ([given, errors]) => {
    const { server, destinationId } = await open()
    await using _closing = server
    const body = Object.keys(given).length === 0 ? given : { destinationId, ...given }
    const answer = await server.call<ProblemDocument>('POST', '/replays', { body })
    expect([answer.status, ...errorsIn(answer.body)]).toEqual([422, ...errors])
  })
})

describe('a manual retry', () => {
  test('makes a delivery due immediately, whether it is pending or ended', async () => {
    const { server, destinationId, woken } = await open()
    await using _closing = server
    for (const state of ['pending', 'delivered', 'rejected', 'expired'] as const) {
      const { id } = await keep(server, destinationId, state)
      expect(await server.must('POST', `/deliveries/${id}/retry`)).toMatchObject({
        id,
        state: 'pending',
        attemptCount: 0,
        nextAttemptAt: formatTimestamp(NOON),
      })
    }
    expect(woken()).toBe(4)
  })

  test('is refused with the remedy if the delivery is held, and gets 404 if it is unknown', async () => {
    const { server, destinationId, woken } = await open()
    await using _closing = server
    const { id } = await keep(server, destinationId, 'held')
    const held = await server.call<ProblemDocument>('POST', `/deliveries/${id}/retry`)
    expect([held.status, held.body.code]).toEqual([409, 'invalid_state'])
    expect(held.body.detail).toContain('resume its destination')
    expect((await server.call('POST', '/deliveries/msg_none/retry')).status).toBe(404)
    expect(woken()).toBe(0)
  })
})

test('a quarantined delivery shows the reason, and waits for no attempt', async () => {
  const { server, destinationId } = await open()
  await using _closing = server
  const { id } = await keep(server, destinationId, 'pending')
  await server.backend.quarantine.add([{ id, reason: 'Its event is gone.', at: NOON }])
  expect(await server.must('GET', `/deliveries/${id}`)).toMatchObject({
    state: 'quarantined',
    quarantine: { reason: 'Its event is gone.', at: formatTimestamp(NOON) },
    nextAttemptAt: null,
    webhooks: [{ nextAttemptAt: null, waiting: null }],
  })
  const list = await server.must<{ data: unknown[] }>('GET', '/deliveries?state=quarantined')
  expect(list.data).toHaveLength(1)
})
