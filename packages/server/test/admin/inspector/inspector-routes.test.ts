import { pino } from 'pino'
import { expect, test } from 'vitest'
import { Inspector } from '../../../src/inspector/inspector.ts'
import { failAuditWrites } from '@hookline/testing/service/fail-audit-writes'
import { NOON } from '@hookline/testing/records/accepted-event'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'
import { sharedOf } from '../../inspector/shared-of.ts'
import { anInspectedRequest } from '../../inspector/an-inspected-request.ts'
import { AdminServer } from '../admin-server.ts'
import { errorsIn, type ProblemDocument } from '../problem-document.ts'

const catalog = { current: { sources: new Map(), destinations: new Map() } } as never

function newInspector(): Inspector {
  return new Inspector({ clock: new ManualClock(NOON), logger: pino({ enabled: false }), catalog })
}

async function tokenOf(server: AdminServer, role: 'viewer' | 'editor') {
  const body = { name: role, role }
  const { token } = await server.must<{ token: string }>('POST', '/tokens', { body })
  return { authorization: `Bearer ${token}` }
}

test('shows its address, its responses, its limits and how much it stores', async () => {
  await using server = await AdminServer.open()
  expect(await server.must('GET', '/inspector')).toEqual({
    url: 'http://inspector.internal/',
    responses: { status: 200, delayMs: 0, failFirst: null },
    requests: { stored: 0, bytes: 0, received: 0 },
    limits: { requests: 500, bytes: 16 * 1024 * 1024, bodyBytes: 4 * 1024 * 1024 },
  })
})

test('shows a request to viewers, in a list and in full', async () => {
  const inspector = newInspector()
  const body = { type: 'track', event: 'x'.repeat(600), userId: 'u1', messageId: 'm1' }
  const request = anInspectedRequest(body, {
    headers: [
      ['X-A', '1'],
      ['x-a', '[hidden]'],
    ],
  })
  inspector.requests.add(request)
  await using server = await AdminServer.open({ inspector: sharedOf(inspector) })
  const headers = await tokenOf(server, 'viewer')
  const { data } = await server.must<{ data: object[] }>('GET', '/inspector/requests', { headers })
  const summary = {
    id: request.id,
    receivedAt: '2026-01-15T12:00:00.000Z',
    method: 'POST',
    path: '/',
    size: request.body.length,
    destinationId: 'dst_a',
    deliveryId: request.deliveryId,
    attempt: 1,
    type: 'track',
    name: 'x'.repeat(500),
    userId: 'u1',
    anonymousId: null,
    messageId: 'm1',
    signature: { verdict: 'valid', reason: null, xSignature: 'valid', webhookSignature: 'valid' },
    response: { status: 200, delayMs: 0, sent: false },
  }
  expect(data).toEqual([summary])
  expect(await server.must('GET', `/inspector/requests/${request.id}`, { headers })).toEqual({
    ...summary,
    headers: [
      { name: 'X-A', value: '1' },
      { name: 'x-a', value: '[hidden]' },
    ],
    body: JSON.stringify(body),
  })
  const unknown = await server.call<ProblemDocument>('GET', '/inspector/requests/req_x')
  expect([unknown.status, unknown.body.code]).toEqual([404, 'not_found'])
})

test('shows valid signatures to editors, but not to viewers, who could use them', async () => {
  const inspector = newInspector()
  const signed = [
    ['X-Signature', 'x'],
    ['webhook-signature', 'v1,x'],
    ['webhook-id', 'msg_x'],
  ] as const
  const request = anInspectedRequest({}, { headers: signed })
  inspector.requests.add(request)
  await using server = await AdminServer.open({ inspector: sharedOf(inspector) })
  const valuesFor = async (role: 'viewer' | 'editor'): Promise<string[]> => {
    const headers = await tokenOf(server, role)
    const path = `/inspector/requests/${request.id}`
    const shown = await server.must<{ headers: { value: string }[] }>('GET', path, { headers })
    return shown.headers.map(({ value }) => value)
  }
  expect(await valuesFor('viewer')).toEqual(['[hidden]', '[hidden]', 'msg_x'])
  expect(await valuesFor('editor')).toEqual(['x', 'v1,x', 'msg_x'])
})

test('lists the newest requests first, in pages and by filter', async () => {
  const inspector = newInspector()
  const destinations = ['dst_a', 'dst_b', 'dst_a']
  const requests = destinations.map((destinationId) => anInspectedRequest({}, { destinationId }))
  for (const request of requests) inspector.requests.add(request)
  await using server = await AdminServer.open({ inspector: sharedOf(inspector) })
  type Page = { data: { id: string }[]; nextCursor: string | null }
  const page = async (query: string) => {
    const { data, nextCursor } = await server.must<Page>('GET', `/inspector/requests${query}`)
    return {
      places: data.map(({ id }) => requests.findIndex((each) => each.id === id)),
      nextCursor,
    }
  }
  const first = await page('?limit=2')
  expect(first.places).toEqual([2, 1])
  expect(await page(`?cursor=${first.nextCursor}`)).toEqual({ places: [0], nextCursor: null })
  expect((await page('?destinationId=dst_b')).places).toEqual([1])
  expect((await page(`?deliveryId=${requests[0]!.deliveryId}`)).places).toEqual([0])
  expect((await server.call('GET', '/inspector/requests?cursor=x')).status).toBe(400)
})

test('editors can set its responses and clear it; viewers cannot', async () => {
  const inspector = newInspector()
  inspector.requests.add(anInspectedRequest())
  await using server = await AdminServer.open({ inspector: sharedOf(inspector) })
  const body = { status: 500, delayMs: 1_000, failFirst: 2 }
  const viewer = { headers: await tokenOf(server, 'viewer') }
  expect((await server.call('PUT', '/inspector/responses', { ...viewer, body })).status).toBe(403)
  expect((await server.call('DELETE', '/inspector/requests', viewer)).status).toBe(403)
  const editor = { headers: await tokenOf(server, 'editor') }
  expect(await server.must('PUT', '/inspector/responses', { ...editor, body })).toEqual(body)
  expect(inspector.responses).toEqual(body)
  expect(await server.must('DELETE', '/inspector/requests', editor)).toEqual({ removed: 1 })
  expect(inspector.requests.counts.stored).toBe(0)
  const again = await server.must('PUT', '/inspector/responses', { ...editor, body: {} })
  expect(again).toEqual({ status: 200, delayMs: 0, failFirst: null })
})

test.each([
  [{ status: 199 }, '/status'],
  [{ status: 600 }, '/status'],
  [{ delayMs: 10_001 }, '/delayMs'],
  [{ delayMs: -1 }, '/delayMs'],
  [{ status: 500, failFirst: 0 }, '/failFirst'],
  [{ status: 500, failFirst: 1_001 }, '/failFirst'],
  [{ failFirst: 2 }, '/failFirst needs_failing_status'],
  [{ status: 204, failFirst: 2 }, '/failFirst needs_failing_status'],
  [{ fail: 2 }, '/fail unknown_field'],
])('refuses the responses %j', async (body, fieldError) => {
  const inspector = newInspector()
  await using server = await AdminServer.open({ inspector: sharedOf(inspector) })
  const answer = await server.call<ProblemDocument>('PUT', '/inspector/responses', { body })
  expect([answer.status, answer.body.code]).toEqual([422, 'invalid_body'])
  expect(errorsIn(answer.body)[0]).toContain(fieldError)
  expect(inspector.responses.status).toBe(200)
})

test('a change whose audit entry cannot be written is not made', async () => {
  const inspector = newInspector()
  inspector.requests.add(anInspectedRequest())
  await using server = await AdminServer.open({ inspector: sharedOf(inspector) })
  failAuditWrites(server.dataDir)
  const body = { status: 500 }
  expect((await server.call('PUT', '/inspector/responses', { body })).status).toBe(500)
  expect((await server.call('DELETE', '/inspector/requests')).status).toBe(500)
  expect(inspector.responses.status).toBe(200)
  expect(inspector.requests.counts.stored).toBe(1)
})
