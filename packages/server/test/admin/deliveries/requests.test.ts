import { idFrom, newId } from '@hookline/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  attemptOf,
  lastOf,
  partOf,
} from '../../backend/conformance/deliveries/recorded-delivery.ts'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { purgeAll } from '@hookline/testing/engine/purge-all'
import { AdminServer } from '../admin-server.ts'
import type { ProblemDocument } from '../problem-document.ts'

interface Requests {
  readonly webhooks: readonly {
    readonly url: string
    readonly request: { readonly headers: Readonly<Record<string, string>>; readonly body: string }
    readonly curl: string
  }[]
}

const URLS = ['https://a.example/in', 'https://b.example/in'] as const

let server: AdminServer
let sourceId: string
beforeAll(async () => {
  server = await AdminServer.open()
  const source = await server.must<{ id: string }>('POST', '/sources', { body: { name: 'web' } })
  sourceId = source.id
})
afterAll(() => server[Symbol.asyncDispose]())

/** A delivery with two attempts to its first webhook, and a replay. */
async function deliver(userId: string): Promise<{ id: string; destinationId: string }> {
  const settings = { webhooks: URLS.map((url) => ({ url })), sharedSecret: 'secret' }
  const body = { sourceId, type: 'Webhooks', settings }
  const { id: destinationId } = await server.must<{ id: string }>('POST', '/destinations', { body })
  const at = server.clock.now()
  const event = acceptedEvent({ sourceId, at, userId })
  await server.backend.log.append([event])
  const lastAttempt = lastOf(attemptOf({ number: 2, url: URLS[0] }))
  const delivery = {
    id: idFrom('msg', at, crypto.getRandomValues(new Uint8Array(10))),
    eventId: event.id,
    destinationId,
    state: 'pending' as const,
    attemptCount: 2,
    firstDueAt: at,
    dueAt: at,
    webhooks: [partOf({ url: URLS[0], lastAttempt })],
    replayId: 'rpl_1',
  }
  await server.backend.deliveries.record([{ delivery, attempts: [] }])
  return { id: delivery.id, destinationId }
}

async function problemOf(id: string): Promise<readonly unknown[]> {
  const { status, body } = await server.call<ProblemDocument>('GET', `/deliveries/${id}/requests`)
  return [status, body.code, body.detail]
}

test('the request shown for a finished delivery has attempt number 1, because a retry restarts the count', async () => {
  const { id } = await deliver('u1')
  const { attempts: _, ...delivery } = (await server.backend.deliveries.find(id))!
  const webhooks = delivery.webhooks.map((part) => ({
    ...part,
    state: 'rejected' as const,
    dueAt: null,
  }))
  const rejected = { ...delivery, state: 'rejected' as const, dueAt: null, webhooks }
  await server.backend.deliveries.record([{ delivery: rejected, attempts: [] }])
  const shown = await server.must<Requests>('GET', `/deliveries/${id}/requests`)
  expect(shown.webhooks[0]!.request.headers['X-Hookline-Attempt']).toBe('1')
})

test("shows the requests that a delivery's next attempts would send, signed now", async () => {
  const { id } = await deliver('u1')
  const read = () => server.must<Requests>('GET', `/deliveries/${id}/requests`)
  const { webhooks } = await read()
  expect(webhooks.map(({ url }) => url)).toEqual(URLS)
  expect(webhooks.map(({ request }) => request.headers)).toMatchObject([
    { 'webhook-id': id, 'X-Hookline-Attempt': '3', 'X-Hookline-Replay': 'rpl_1' },
    { 'webhook-id': id, 'X-Hookline-Attempt': '1', 'X-Hookline-Replay': 'rpl_1' },
  ])
  server.clock.advance(1000)
  const signatures = [webhooks, (await read()).webhooks].map(
    ([first]) => first!.request.headers['webhook-signature'],
  )
  expect(new Set(signatures).size).toBe(2)
  expect(webhooks[0]!.curl).toContain(signatures[0])
})

test('only an editor can see the requests, because they are signed', async () => {
  const { id } = await deliver('u1')
  const body = { name: 'reader', role: 'viewer' }
  const { token } = await server.must<{ token: string }>('POST', '/tokens', { body })
  const headers = { authorization: `Bearer ${token}` }
  const read = (path: string) => server.call('GET', path, { headers, withoutToken: true })
  expect((await read(`/deliveries/${id}`)).status).toBe(200)
  expect((await read(`/deliveries/${id}/requests`)).status).toBe(403)
})

test('without the delivery, its destination or its event, the problem names the missing record', async () => {
  expect(await problemOf('msg_none')).toEqual([
    404,
    'not_found',
    'No delivery has this id, or retention has removed it.',
  ])
  const { id, destinationId } = await deliver('u1')
  await server.must('DELETE', `/destinations/${destinationId}`)
  expect(await problemOf(id)).toEqual([409, 'invalid_state', 'The destination was deleted.'])
  // Another archive does not have the event of this delivery.
  const { deliveries, catalog } = server.backend
  await using other = await AdminServer.open({ deliveries, catalog })
  const { id: deliveryId } = await deliver('u1')
  const { status, body } = await other.call<ProblemDocument>(
    'GET',
    `/deliveries/${deliveryId}/requests`,
  )
  expect([status, body.code, body.detail]).toEqual([
    409,
    'invalid_state',
    'The event was deleted or is corrupted.',
  ])
})

test('after the deletion of its user, a delivery and its requests are removed', async () => {
  const { id } = await deliver('u2')
  const deletionId = newId('del', NOON)
  const request = { id: deletionId, createdAt: NOON, sourceIds: null, suppress: false, users: 1 }
  const { deletions } = server.backend
  await deletions.create(request, { userIds: ['u2'] })
  await deletions.advance(deletionId, 'suppress', NOON)
  await purgeAll(deletions, { deletionId, userIds: ['u2'], sourceIds: null })
  expect(await problemOf(id)).toEqual([404, 'not_found', expect.stringMatching(/has removed it/)])
})
