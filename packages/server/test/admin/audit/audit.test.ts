import { newId } from '@hookline/protocol'
import { expect, test } from 'vitest'
import { openDatabaseOfRunningService } from '@hookline/testing/service/running-database'
import { NOON } from '@hookline/testing/records/accepted-event'
import { failAuditWrites } from '@hookline/testing/service/fail-audit-writes'
import { AdminServer } from '../admin-server.ts'

interface Entry {
  readonly id: string
  readonly actor: { readonly id: string; readonly name: string }
  readonly action: string
  readonly targetId: string | null
  readonly before: Record<string, unknown> | null
  readonly after: Record<string, unknown> | null
}

interface CreatedRecord {
  readonly id: string
  readonly token: string
}

async function auditOf(server: AdminServer, query = ''): Promise<readonly Entry[]> {
  return (await server.must<{ data: Entry[] }>('GET', `/audit${query}`)).data
}

test('every change is recorded with actor, action, before and after, newest first', async () => {
  await using server = await AdminServer.open()
  const { token, id } = await server.must<CreatedRecord>('POST', '/tokens', {
    body: { name: 'ci', role: 'editor' },
  })
  const headers = { authorization: `Bearer ${token}` }
  const source = await server.must<CreatedRecord>('POST', '/sources', {
    headers,
    body: { name: 'web' },
  })
  await server.must('PATCH', `/sources/${source.id}`, { headers, body: { name: 'shop' } })
  await server.must('DELETE', `/sources/${source.id}`, { headers })
  const entries = await auditOf(server)
  expect(entries.map(({ action, targetId }) => [action, targetId])).toEqual([
    ['removeSource', source.id],
    ['changeSource', source.id],
    ['createSource', source.id],
    ['createToken', id],
  ])
  const actor = { id, name: 'ci', role: 'editor' }
  expect(entries).toMatchObject([
    { actor, before: { name: 'shop' }, after: null },
    { actor, before: { name: 'web' }, after: { name: 'shop' } },
    { actor, before: null, after: { name: 'web' } },
    { actor: { id: 'admin-token' }, before: null, after: { name: 'ci' } },
  ])
})

test('a corrupted entry is listed with its readable fields, and its id is logged', async () => {
  await using server = await AdminServer.open()
  const source = await server.must<CreatedRecord>('POST', '/sources', { body: { name: 'web' } })
  await server.must('PATCH', `/sources/${source.id}`, { body: { name: 'shop' } })
  {
    using db = openDatabaseOfRunningService(server.dataDir)
    db.exec("UPDATE audit SET sealed = 'corrupted' WHERE action = 'createSource'")
  }
  const [changed, created] = await auditOf(server)
  expect(changed).toMatchObject({ action: 'changeSource', after: { name: 'shop' } })
  expect(changed).not.toHaveProperty('unreadable')
  expect(created).toMatchObject({
    unreadable: true,
    actor: { id: 'admin-token' },
    action: 'createSource',
    targetId: source.id,
    before: null,
    after: null,
  })
  const logged = server.logged.filter((line) => line.includes('audit.unreadable'))
  expect(logged).toHaveLength(1)
  expect(logged[0]).toContain(created!.id)
})

test('requests that are refused, fail or only read leave no entry', async () => {
  await using server = await AdminServer.open()
  await server.call('POST', '/sources', { body: {} })
  await server.call('POST', '/sources', { headers: { authorization: '' }, body: { name: 'web' } })
  await server.call('DELETE', '/sources/none')
  await server.call('GET', '/sources')
  expect(await auditOf(server)).toEqual([])
})

test('no entry contains a secret', async () => {
  await using server = await AdminServer.open()
  const source = await server.must<{ id: string; writeKeys: { key: string }[] }>(
    'POST',
    '/sources',
    {
      body: { name: 'web' },
    },
  )
  const webhooks = [{ url: 'https://a.example', headers: { 'x-key': 'planted header value' } }]
  const settings = { sharedSecret: 'planted shared secret', webhooks }
  const body = { sourceId: source.id, type: 'Webhooks', settings }
  await server.must('POST', '/destinations', { body })
  const { token } = await server.must<CreatedRecord>('POST', '/tokens', {
    body: { name: 'a', role: 'admin' },
  })
  const { text } = await server.call('GET', '/audit')
  for (const secret of ['planted', token, source.writeKeys[0]!.key])
    expect(text).not.toContain(secret)
  expect(text).toContain('"sharedSecret":{"set":true')
})

test('entries can be filtered by actor, action and target, and pages have no gaps', async () => {
  await using server = await AdminServer.open()
  const createdIds: string[] = []
  for (const name of ['a', 'b', 'c']) {
    createdIds.push((await server.must<CreatedRecord>('POST', '/sources', { body: { name } })).id)
    server.clock.advance(1)
  }
  expect(
    (await auditOf(server, `?targetId=${createdIds[1]}`)).map(({ targetId }) => targetId),
  ).toEqual([createdIds[1]])
  expect(await auditOf(server, '?action=createToken')).toEqual([])
  expect(await auditOf(server, '?actorId=admin-token')).toHaveLength(3)
  type Page = { data: Entry[]; nextCursor: string }
  const first = await server.must<Page>('GET', '/audit?limit=2')
  const second = await server.must<Page>('GET', `/audit?limit=2&cursor=${first.nextCursor}`)
  const ids = [...first.data, ...second.data].map(({ targetId }) => targetId)
  expect(ids).toEqual(createdIds.toReversed())
})

test('a change whose audit entry cannot be written is not made, and gets an error response', async () => {
  await using server = await AdminServer.open()
  failAuditWrites(server.dataDir)
  expect((await server.call('POST', '/sources', { body: { name: 'web' } })).status).toBe(500)
  expect(server.backend.catalog.current.sources.size).toBe(0)
})

test('a test delivery whose audit entry cannot be written is not sent', async () => {
  let runs = 0
  const run = async () => ({
    deliveryId: `msg_${++runs}`,
    stored: '{}',
    formatted: '{}',
    webhooks: [],
  })
  await using server = await AdminServer.open({ testDeliveries: { run } })
  const source = await server.must<CreatedRecord>('POST', '/sources', { body: { name: 'web' } })
  const settings = { webhooks: [{ url: 'https://a.example' }] }
  const body = { sourceId: source.id, type: 'Webhooks', settings }
  const { id } = await server.must<CreatedRecord>('POST', '/destinations', { body })
  failAuditWrites(server.dataDir)
  const send = (dryRun: boolean) =>
    server.call('POST', `/destinations/${id}/test`, { body: { type: 'track', dryRun } })
  expect([(await send(false)).status, runs]).toEqual([500, 0])
  expect([(await send(true)).status, runs]).toEqual([200, 1])
})

test('the entry of an import shows its number of records, and at most 1,000 ids and 64 KiB of records', async () => {
  await using server = await AdminServer.open()
  const sources = Array.from({ length: 1_500 }, () => ({
    id: newId('src', NOON),
    name: 'x'.repeat(200),
    enabled: true,
    rateLimit: null,
    space: 'default',
  }))
  const body = { hookline: 1, sources, destinations: [], audiences: [], traits: [] }
  await server.must('PUT', '/import', { body })
  const { text, body: audit } = await server.call<{ data: Entry[] }>('GET', '/audit')
  const after = audit.data[0]!.after as { count: number; ids: string[]; records: { id: string }[] }
  expect(after.count).toBe(1_500)
  expect(after.ids).toEqual(sources.slice(0, 1_000).map(({ id }) => id))
  expect(after.records.length).toBeGreaterThan(100)
  expect(after.records.map(({ id }) => id)).toEqual(after.ids.slice(0, after.records.length))
  expect(JSON.stringify(after.records).length).toBeLessThan(65 * 1024)
  expect(text.length).toBeLessThan(110 * 1024)
})

test('a request that changes nothing leaves an entry with equal before and after', async () => {
  await using server = await AdminServer.open()
  const source = await server.must<CreatedRecord>('POST', '/sources', { body: { name: 'web' } })
  const settings = { webhooks: [{ url: 'https://a.example' }] }
  const body = { sourceId: source.id, type: 'Webhooks', settings }
  const { id } = await server.must<CreatedRecord>('POST', '/destinations', { body })
  await server.must('POST', `/destinations/${id}/resume`)
  const [entry] = await auditOf(server)
  expect(entry).toMatchObject({ action: 'resumeDestination', targetId: id })
  expect(entry!.before).toEqual(entry!.after)
})

test('a removal with a body is refused, so that a dryRun in it is not ignored', async () => {
  await using server = await AdminServer.open()
  const { id } = await server.must<CreatedRecord>('POST', '/sources', { body: { name: 'web' } })
  for (const body of [{ dryRun: true }, [], '"x"']) {
    expect((await server.call('DELETE', `/sources/${id}`, { body })).status).toBe(422)
  }
  expect(server.backend.catalog.current.sources.size).toBe(1)
  await server.must('DELETE', `/sources/${id}`, { body: {} })
})
