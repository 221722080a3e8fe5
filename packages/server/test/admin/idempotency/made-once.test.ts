import { formatTimestamp } from '@hookline/protocol'
import { expect, test } from 'vitest'
import { NOON } from '@hookline/testing/records/accepted-event'
import { LANE, recordDelivery } from '../../backend/conformance/deliveries/recorded-delivery.ts'
import { AdminServer } from '../admin-server.ts'
import type { ProblemDocument } from '../problem-document.ts'

/** Routes that create a record, with a body. */
const CREATING: Readonly<Record<string, (ids: Ids) => object>> = {
  '/sources': () => ({ name: 'web' }),
  '/sources/:id/write-keys': () => ({}),
  '/destinations': ({ sourceId }) => ({
    sourceId,
    type: 'Webhooks',
    settings: { webhookUrl: LANE.url },
  }),
  '/tokens': () => ({ name: 'ci', role: 'viewer' }),
  '/audiences': () => ({
    name: 'Pros',
    destinationIds: [],
    condition: { trait: 'plan', op: 'equals', value: 'pro' },
  }),
  '/traits': () => ({
    name: 'Orders',
    destinationIds: [],
    compute: { fn: 'count', event: 'Order Completed' },
  }),
  '/deletions': () => ({ userIds: ['louis'] }),
  '/replays': ({ destinationId }) => ({ destinationId, from: formatTimestamp(NOON - 1) }),
}
/** Routes that create something in a record, each with a test below. */
const ADDING_TO_RECORD = [
  '/alerts/channels',
  '/deliveries/:id/retry',
  '/destinations/:id/rotate-signing-key',
]
/** Routes that create no record: running them twice has the same result, or leaves nothing durable. */
const REPEATABLE = [
  '/audiences/:id/sync',
  '/audiences/preview',
  '/destinations/:id/close-breaker',
  '/destinations/:id/filter-preview',
  '/destinations/:id/pause',
  '/destinations/:id/resume',
  '/destinations/:id/rotate-secret',
  '/destinations/:id/test',
  '/replays/:id/cancel',
  '/sessions',
  '/sign-in-links',
  '/traits/:id/sync',
  '/traits/preview',
]
/** Routes whose responses show user data, and are stored without it. */
const WITH_USER_DATA = ['/replays']

interface Ids {
  readonly sourceId: string
  readonly destinationId: string
}

async function open(): Promise<AdminServer & { readonly ids: Ids }> {
  const server = await AdminServer.open()
  const make = async (path: string, body: object): Promise<string> =>
    (await server.must<{ id: string }>('POST', path, { body })).id
  const sourceId = await make(
    '/sources',
    CREATING['/sources']!({ sourceId: '', destinationId: '' }),
  )
  const destinationId = await make('/destinations', {
    sourceId,
    type: 'Webhooks',
    settings: { webhookUrl: LANE.url },
  })
  return Object.assign(server, { ids: { sourceId, destinationId } })
}

/** From now on, the process exits before it can store a response separately. */
function exitBeforeStoring({ backend }: AdminServer): void {
  backend.idempotentResponses.add = () => Promise.reject(new Error('The process has exited.'))
}

test.each(Object.entries(CREATING))(
  'POST %s stores its response together with the created record',
  async (path, bodyOf) => {
    await using server = await open()
    exitBeforeStoring(server)
    const before = await auditEntries(server)
    const url = path.replace(':id', server.ids.sourceId)
    const call = { headers: { 'idempotency-key': 'k1' }, body: bodyOf(server.ids) }
    const first = await server.call<{ id: string }>('POST', url, call)
    expect(first.status, first.text).toBeLessThan(300)
    const again = await server.call<ProblemDocument>('POST', url, call)
    if (WITH_USER_DATA.includes(path)) {
      expect([again.status, again.body.code]).toEqual([409, 'response_not_stored'])
    } else {
      expect([again.status, again.text]).toEqual([first.status, first.text])
      for (const name of ['content-type', 'etag'])
        expect(again.headers.get(name), name).toBe(first.headers.get(name))
    }
    expect(again.headers.get('location')).toBe(first.headers.get('location'))
    expect(again.headers.get('location')).toContain(path.split('/')[1])
    expect(await auditEntries(server)).toBe(before + 1)
  },
)

test('a delivery is retried once for each key', async () => {
  await using server = await open()
  exitBeforeStoring(server)
  const { destinationId } = server.ids
  const delivery = await recordDelivery(server, {
    destinationId,
    state: 'expired',
    attemptCount: 1,
  })
  const before = await auditEntries(server)
  const call = { headers: { 'idempotency-key': 'k1' } }
  const retry = () => server.call<ProblemDocument>('POST', `/deliveries/${delivery.id}/retry`, call)
  expect((await retry()).status).toBe(200)
  expect((await retry()).body.code).toBe('response_not_stored')
  expect(await auditEntries(server)).toBe(before + 1)
})

test('a channel is added once for each key', async () => {
  await using server = await open()
  exitBeforeStoring(server)
  const before = await auditEntries(server)
  const body = { url: 'https://a.example', format: 'slack' }
  const call = { headers: { 'idempotency-key': 'k1' }, body }
  const add = () => server.call('POST', '/alerts/channels', call)
  const [first, again] = [await add(), await add()]
  expect([first.status, again.status, again.text]).toEqual([201, 201, first.text])
  expect(again.headers.get('location')).toBe(first.headers.get('location'))
  expect(await auditEntries(server)).toBe(before + 1)
})

test('a signing key is rotated once for each key', async () => {
  await using server = await open()
  exitBeforeStoring(server)
  const path = `/destinations/${server.ids.destinationId}`
  await server.must('PATCH', path, { body: { settings: { signature: 'both' } } })
  const before = await auditEntries(server)
  const call = { headers: { 'idempotency-key': 'k1' }, body: {} }
  const rotate = () => server.call('POST', `${path}/rotate-signing-key`, call)
  const [first, again] = [await rotate(), await rotate()]
  expect([first.status, again.text]).toEqual([200, first.text])
  expect(again.headers.get('etag')).toBe(first.headers.get('etag'))
  expect(await auditEntries(server)).toBe(before + 1)
})

test('every route that creates a record is listed here', async () => {
  await using server = await open()
  const posts = server.routes
    .filter((route) => route.startsWith('POST '))
    .map((route) => route.slice('POST /api/v1'.length))
  const listed = [...Object.keys(CREATING), ...ADDING_TO_RECORD, ...REPEATABLE]
  expect(posts.toSorted()).toEqual(listed.toSorted())
})

async function auditEntries(server: AdminServer): Promise<number> {
  return (await server.must<{ data: [] }>('GET', '/audit')).data.length
}
