import { expect, onTestFinished, test } from 'vitest'
import type { AdminDeps } from '../../../src/admin/routes.ts'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import { AdminServer } from '../admin-server.ts'
import type { ProblemDocument } from '../problem-document.ts'
import { LiveReader } from './live-reader.ts'

const source = { name: 'Shop' }

async function opened(overrides: Partial<AdminDeps> = {}): Promise<AdminServer> {
  const server = await AdminServer.open(overrides)
  onTestFinished(() => server[Symbol.asyncDispose]())
  return server
}

async function readerOf(...given: Parameters<typeof LiveReader.open>): Promise<LiveReader> {
  const reader = await LiveReader.open(...given)
  onTestFinished(() => reader[Symbol.asyncDispose]())
  await reader.said('retry')
  return reader
}

/** The cookie of a browser after signing in with a link. */
async function cookieOf(server: AdminServer, role: string): Promise<string> {
  const { path } = await server.must<{ path: string }>('POST', '/sign-in-links', { body: { role } })
  const { headers } = await server.call('POST', '/sessions', {
    withoutToken: true,
    body: { code: path.split('#')[1] },
  })
  return headers.get('set-cookie')!.split(';')[0]!
}

const namesOf = (reader: LiveReader): string[] => reader.all().map(({ name }) => name)

test('a reader that names no topics receives only activity', async () => {
  const server = await opened()
  const reader = await readerOf(server)
  await server.must('POST', '/sources', { body: source })
  server.clock.advance(1_000)
  server.live.received([acceptedEvent()])
  await reader.messages(1)
  expect(namesOf(reader)).toEqual(['event'])
  expect(reader.all()[0]!.id).toBe(`${server.topics.run}-1`)
})

test('counts are sent each second, without an id', async () => {
  const server = await opened()
  const reader = await readerOf(server, '?topics=counts')
  server.topics.counts.received([acceptedEvent()])
  server.clock.advance(1_000)
  const [first] = await reader.messages(1)
  expect(first).toMatchObject({
    id: '',
    name: 'counts',
    data: { at: '2026-01-15T12:00:00.000Z', durationMs: 1_000, received: 1, pending: 0 },
  })
  server.clock.advance(15_000)
  await reader.said('\n\n: heartbeat\n\n')
  expect(reader.text).not.toContain('id: ')
})

test('each change by a request is reported as in the audit log, and a refused request is not', async () => {
  const server = await opened()
  const reader = await readerOf(server, '?topics=changes')
  const { id } = await server.must<{ id: string }>('POST', '/sources', { body: source })
  await server.call('POST', '/sources', { body: { name: '' } })
  await server.call('PATCH', '/sources/src_unknown', { body: source })
  await server.must('PATCH', `/sources/${id}`, { body: { name: 'Store' } })
  await server.must('DELETE', `/sources/${id}`)
  const changes = (await reader.messages(3)).map(({ data }) => data)
  const by = { at: '2026-01-15T12:00:00.000Z', resource: 'sources', id, actorId: 'admin-token' }
  expect(changes).toEqual([
    { ...by, action: 'createSource' },
    { ...by, action: 'changeSource' },
    { ...by, action: 'removeSource' },
  ])
  const { data } = await server.must<{ data: { action: string }[] }>('GET', '/audit')
  expect(data.map(({ action }) => action).toReversed()).toEqual(changes.map(({ action }) => action))
})

test('a viewer receives the changes it may read, but not their author', async () => {
  const server = await opened()
  const cookie = await cookieOf(server, 'viewer')
  const reader = await readerOf(server, '?topics=changes', { cookie }, { withoutToken: true })
  await server.must('POST', '/tokens', { body: { name: 'CI', role: 'viewer' } })
  await cookieOf(server, 'viewer')
  const { id } = await server.must<{ id: string }>('POST', '/sources', { body: source })
  const [first] = await reader.messages(1)
  const at = '2026-01-15T12:00:00.000Z'
  expect(first!.data).toEqual({ at, resource: 'sources', id })
  expect(reader.all()).toHaveLength(1)
})

test('a change to a suppression does not name the user', async () => {
  const server = await opened()
  const since = server.clock.wall()
  const suppressed = { kind: 'user', id: 'ada@example.com', sourceId: null, since } as const
  await server.backend.suppressions.add([{ ...suppressed, deletionId: 'del_a' }])
  const reader = await readerOf(server, '?topics=changes')
  await server.must('DELETE', '/suppressions/ada@example.com')
  const [first] = await reader.messages(1)
  expect(first!.data).toMatchObject({ resource: 'suppressions', id: null })
})

test('a reader that reconnects misses no change or activity, and receives no earlier counts', async () => {
  const server = await opened()
  const reader = await readerOf(server, '?topics=activity,counts,changes')
  server.live.received([acceptedEvent()])
  await server.must('POST', '/sources', { body: source })
  server.clock.advance(1_000)
  await reader.messages(3)
  const other = await readerOf(server, '?topics=counts')
  const reconnected = reader.reconnect()
  const event = acceptedEvent()
  server.live.received([event])
  await server.must('POST', '/sources', { body: source })
  await reconnected
  await reader.messages(5)
  await other.said('retry')
  expect(namesOf(reader).toSorted()).toEqual(['change', 'change', 'counts', 'event', 'event'])
})

test('the id of the last message may be in the address, but Last-Event-ID takes precedence', async () => {
  const server = await opened()
  const first = await readerOf(server)
  const events = [acceptedEvent(), acceptedEvent()]
  server.live.received(events)
  const [one, two] = await first.messages(2)
  const inAddress = await readerOf(server, `?kind=event&lastEventId=${one!.id}`)
  expect((await inAddress.messages(1))[0]!.data).toMatchObject({ eventId: events[1]!.id })
  const both = await readerOf(server, `?lastEventId=${one!.id}`, { 'last-event-id': two!.id })
  const empty = await readerOf(server, '?lastEventId=')
  const last = acceptedEvent()
  server.live.received([last])
  for (const reader of [both, empty])
    expect((await reader.messages(1))[0]!.data).toMatchObject({ eventId: last.id })
})

test.each(['', 'everything', 'counts,', 'activity;counts', 'counts, changes'])(
  'the topics %j are refused',
  async (topics) => {
    const server = await opened()
    const query = new URLSearchParams({ topics }).toString()
    const { status, body } = await server.call<ProblemDocument>('GET', `/live?${query}`)
    expect([status, body.errors?.[0]?.code]).toEqual([400, 'invalid_format'])
  },
)

test('the stream of a browser ends when its session ends', async () => {
  const server = await opened()
  const cookie = await cookieOf(server, 'editor')
  const reader = await readerOf(server, '', { cookie }, { withoutToken: true })
  server.clock.advance(15_000)
  await reader.said(': heartbeat')
  const { data } = await server.must<{ data: { id: string }[] }>('GET', '/sessions')
  await server.must('DELETE', `/sessions/${data[0]!.id}`)
  server.clock.advance(15_000)
  await reader.ended()
})

test('a local browser needs no login if the service allows local access without one', async () => {
  const server = await opened({ allowsLocalAccess: true })
  const reader = await readerOf(server, '?topics=changes', {}, { withoutToken: true })
  server.clock.advance(15_000)
  await reader.said(': heartbeat')
  await server.must('POST', '/sources', { body: source })
  const [first] = await reader.messages(1)
  expect(first!.data).toMatchObject({ resource: 'sources', actorId: 'admin-token' })
})
