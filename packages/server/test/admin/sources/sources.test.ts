import { afterAll, beforeAll, expect, test } from 'vitest'
import { NOON } from '@hookline/testing/records/accepted-event'
import { AdminServer } from '../admin-server.ts'
import { errorsIn, type ProblemDocument } from '../problem-document.ts'

interface Source {
  readonly id: string
  readonly name: string
  readonly version: number
  readonly writeKeys: readonly {
    readonly key: string
    readonly createdAt: string
    readonly lastUsedAt: string | null
  }[]
}

let server: AdminServer
beforeAll(async () => {
  server = await AdminServer.open()
})
afterAll(() => server[Symbol.asyncDispose]())

const make = (body: object = { name: 'web' }) => server.must<Source>('POST', '/sources', { body })

test('a source is created with defaults, a write key and a Location header', async () => {
  const { status, headers, body } = await server.call<Source>('POST', '/sources', {
    body: { name: 'web' },
  })
  expect(status).toBe(201)
  expect(body).toEqual({
    id: expect.stringMatching(/^src_[0-9a-z]{26}$/),
    name: 'web',
    space: 'default',
    enabled: true,
    rateLimit: null,
    writeKeys: [
      {
        key: expect.stringMatching(/^wk_[0-9A-Za-z]{32}$/),
        createdAt: new Date(NOON).toISOString(),
        lastUsedAt: null,
      },
    ],
    createdAt: new Date(NOON).toISOString(),
    updatedAt: new Date(NOON).toISOString(),
    version: 1,
  })
  expect(headers.get('location')).toBe(`/api/v1/sources/${body.id}`)
  expect(headers.get('etag')).toBe('"1"')
  expect(server.backend.catalog.current.sourceByWriteKey.get(body.writeKeys[0]!.key)?.id).toBe(
    body.id,
  )
})

test('a source is read back as it was created', async () => {
  const created = await make({ name: 'ä'.repeat(200), enabled: false, rateLimit: 1 })
  const { body, headers } = await server.call('GET', `/sources/${created.id}`)
  expect(body).toEqual(created)
  expect(headers.get('etag')).toBe('"1"')
})

test('a change replaces the given fields and keeps the rest', async () => {
  const created = await make({ name: 'web', rateLimit: 5 })
  server.clock.advance(1000)
  const { status, body, headers } = await server.call('PATCH', `/sources/${created.id}`, {
    body: { enabled: false },
  })
  expect(status).toBe(200)
  const updatedAt = new Date(server.clock.now()).toISOString()
  expect(body).toEqual({ ...created, enabled: false, version: 2, updatedAt })
  expect(headers.get('etag')).toBe('"2"')
})

test('a source can be created in a space and moved into another one', async () => {
  const { id } = await server.must<{ id: string }>('POST', '/sources', {
    body: { name: 'web', space: 'shop_2' },
  })
  const change = (space: string) => server.must('PATCH', `/sources/${id}`, { body: { space } })
  expect(await server.must('GET', `/sources/${id}`)).toMatchObject({ space: 'shop_2' })
  expect(await change('default')).toMatchObject({ space: 'default' })
  const response = await server.call<ProblemDocument>('PATCH', `/sources/${id}`, {
    body: { space: 'Not Allowed' },
  })
  expect([response.status, ...errorsIn(response.body)]).toEqual([422, '/space invalid_format'])
})

test('all errors in a body are reported together, unknown fields with a suggestion', async () => {
  const { status, body } = await server.call<ProblemDocument>('POST', '/sources', {
    body: { nam: 'web', enabled: 'yes', rateLimit: 0 },
  })
  expect(status).toBe(422)
  expect(body.code).toBe('invalid_body')
  expect(errorsIn(body)).toEqual([
    '/nam unknown_field',
    '/name required',
    '/enabled invalid_type',
    '/rateLimit out_of_range',
  ])
  expect(body.errors[0]?.hint).toBe('Did you mean name?')
})

test.each([
  [{ name: '' }, '/name too_short'],
  [{ name: ' \t ' }, '/name invalid_format'],
  [{ name: 'x'.repeat(201) }, '/name too_long'],
  [{ name: null }, '/name invalid_type'],
  [{ name: 'web', rateLimit: 1.5 }, '/rateLimit invalid_type'],
  [{ name: 'web', rateLimit: 1e300 }, '/rateLimit out_of_range'],
  [{ name: 'web', 'a/b': 1 }, '/a~1b unknown_field'],
  [['web'], ' invalid_type'],
])('%j is refused', async (body, fieldError) => {
  const answer = await server.call<ProblemDocument>('POST', '/sources', { body })
  expect([answer.status, ...errorsIn(answer.body)]).toEqual([422, fieldError])
})

test('fields that the server sets cannot be changed', async () => {
  const created = await make()
  const answer = await server.call<ProblemDocument>('PATCH', `/sources/${created.id}`, {
    body: created,
  })
  expect(answer.status).toBe(422)
  expect(errorsIn(answer.body).toSorted()).toEqual([
    '/createdAt immutable',
    '/id immutable',
    '/updatedAt immutable',
    '/version immutable',
    '/writeKeys immutable',
  ])
})

test('a write key is added, and the old one is removed', async () => {
  const created = await make()
  const path = `/sources/${created.id}/write-keys`
  const { status, headers, body } = await server.call<{ key: string }>('POST', path)
  expect(status).toBe(201)
  expect(headers.get('location')).toBe(`/api/v1${path}/${body.key}`)

  const [old] = created.writeKeys
  const left = await server.must<Source>('DELETE', `${path}/${old!.key}`)
  expect(left.writeKeys.map(({ key }) => key)).toEqual([body.key])
  expect(server.backend.catalog.current.sourceByWriteKey.has(old!.key)).toBe(false)
})

test('a write key shows when it was last used', async () => {
  const created = await server.must<Source>('POST', '/sources', { body: { name: 'web' } })
  await server.backend.keyUses.mark(created.writeKeys[0]!.key, NOON)
  const { writeKeys } = await server.must<Source>('GET', `/sources/${created.id}`)
  expect(writeKeys).toMatchObject([{ lastUsedAt: new Date(NOON).toISOString() }])
  const { data } = await server.must<{ data: Source[] }>('GET', '/sources')
  expect(data.find(({ id }) => id === created.id)?.writeKeys).toEqual(writeKeys)
})

test('the last write key can be removed', async () => {
  const created = await make()
  const path = `/sources/${created.id}/write-keys/${created.writeKeys[0]!.key}`
  expect((await server.must<Source>('DELETE', path)).writeKeys).toEqual([])
  expect((await server.call('DELETE', path)).status).toBe(404)
})

test('a write key cannot be chosen by the client', async () => {
  const created = await make()
  const answer = await server.call<ProblemDocument>('POST', `/sources/${created.id}/write-keys`, {
    body: { key: 'mine' },
  })
  expect([answer.status, ...errorsIn(answer.body)]).toEqual([422, '/key unknown_field'])
})

test('removing a source removes its destinations', async () => {
  const created = await make()
  const body = {
    sourceId: created.id,
    type: 'Webhooks',
    settings: { webhookUrl: 'http://a.example' },
  }
  const destination = await server.must<{ id: string }>('POST', '/destinations', { body })
  expect((await server.call('DELETE', `/sources/${created.id}`)).status).toBe(204)
  expect((await server.call('GET', `/sources/${created.id}`)).status).toBe(404)
  expect((await server.call('GET', `/destinations/${destination.id}`)).status).toBe(404)
  expect((await server.call('DELETE', `/sources/${created.id}`)).status).toBe(404)
})

test('with If-Match only the named version is changed', async () => {
  const { id } = await make()
  const path = `/sources/${id}`
  const change = (tag: string) =>
    server.call<ProblemDocument>('PATCH', path, {
      body: { name: tag },
      headers: { 'if-match': tag },
    })
  expect((await change('"1"')).status).toBe(200)
  const late = await change('"1"')
  expect([late.status, late.body.code]).toEqual([412, 'version_mismatch'])
  expect((await change('W/"2"')).status).toBe(412)
  expect((await change('nonsense')).status).toBe(412)
  expect((await change('"7", "2"')).status).toBe(200)
  expect((await change('*')).status).toBe(200)

  const headers = { 'if-match': '"1"' }
  expect((await server.call('DELETE', path, { headers })).status).toBe(412)
  expect((await server.call('GET', path)).status).toBe(200)
  expect((await server.call('DELETE', path, { headers: { 'if-match': '"4"' } })).status).toBe(204)
})

test('simultaneous changes all apply; with If-Match only one does', async () => {
  const { id } = await make()
  const path = `/sources/${id}`
  const keys = await Promise.all(
    Array.from({ length: 5 }, () => server.call('POST', `${path}/write-keys`)),
  )
  expect(keys.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201])
  const source = await server.must<Source>('GET', path)
  expect([source.writeKeys.length, source.version]).toEqual([6, 6])

  const headers = { 'if-match': '"6"' }
  const changes = await Promise.all(
    [1, 2, 3].map((n) => server.call('PATCH', path, { body: { name: `n${n}` }, headers })),
  )
  const statuses = changes.map(({ status }) => status).toSorted((a, b) => a - b)
  expect(statuses).toEqual([200, 412, 412])
})

test('the pages make up the whole list, even if records are added in between', async () => {
  await using own = await AdminServer.open()
  const seen: string[] = []
  const names = ['a', 'b', 'c', 'd', 'e']
  for (const name of names) {
    own.clock.advance(1)
    await own.must('POST', '/sources', { body: { name } })
  }
  let cursor: string | null = ''
  while (cursor !== null) {
    const query: string = cursor && `&cursor=${encodeURIComponent(cursor)}`
    const page: { data: Source[]; nextCursor: string | null } = await own.must(
      'GET',
      `/sources?limit=2${query}`,
    )
    seen.push(...page.data.map(({ name }) => name))
    cursor = page.nextCursor
    if (seen.length === 2) {
      own.clock.advance(1)
      await own.must('POST', '/sources', { body: { name: 'f' } })
    }
  }
  expect(seen).toEqual([...names, 'f'])
})

test.each([
  ['limit=0', '/limit out_of_range'],
  ['limit=201', '/limit out_of_range'],
  ['limit=ten', '/limit invalid_type'],
  ['limit=', '/limit invalid_type'],
  ['limit=1&limit=2', '/limit invalid_type'],
  ['limt=1', '/limt unknown_field'],
  ['cursor=', '/cursor too_short'],
])('the query %s is refused', async (query, fieldError) => {
  const answer = await server.call<ProblemDocument>('GET', `/sources?${query}`)
  expect([answer.status, answer.body.code, ...errorsIn(answer.body)]).toEqual([
    400,
    'invalid_query',
    fieldError,
  ])
})

test('a cursor of another list is refused', async () => {
  await Promise.all([make(), make()])
  const { nextCursor } = await server.must<{ nextCursor: string }>('GET', '/sources?limit=1')
  for (const cursor of [nextCursor, 'x', 'ü']) {
    const path = `/events?cursor=${encodeURIComponent(cursor)}`
    const { status, body } = await server.call<ProblemDocument>('GET', path)
    expect([status, body.code]).toEqual([400, 'invalid_cursor'])
  }
})
