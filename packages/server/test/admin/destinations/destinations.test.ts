import { afterAll, beforeAll, expect, test } from 'vitest'
import { AdminServer } from '../admin-server.ts'
import { errorsIn, type ProblemDocument } from '../problem-document.ts'

interface Destination {
  readonly id: string
  readonly settings: object
  readonly createdAt: string
  readonly updatedAt: string
  readonly enabledChangedAt: string | null
}

let server: AdminServer
let sourceId: string
beforeAll(async () => {
  server = await AdminServer.open()
  const source = await server.must<{ id: string }>('POST', '/sources', { body: { name: 'web' } })
  sourceId = source.id
})
afterAll(() => server[Symbol.asyncDispose]())

const make = (body: object = {}) =>
  server.must<Destination>('POST', '/destinations', {
    body: { sourceId, type: 'Webhooks', settings: { webhookUrl: 'https://A.example' }, ...body },
  })

const storedSettings = (id: string) => server.backend.catalog.current.destinations.get(id)?.settings

test('a destination is created disabled, with defaults', async () => {
  const body = { sourceId, type: 'Webhooks', settings: { webhookUrl: 'https://A.example' } }
  const answer = await server.call<Destination>('POST', '/destinations', { body })
  expect(answer.status).toBe(201)
  expect(answer.body).toEqual({
    id: expect.stringMatching(/^dst_[0-9a-z]{26}$/),
    sourceId,
    type: 'Webhooks',
    name: 'Webhooks',
    enabled: false,
    enabledChangedAt: answer.body.createdAt,
    paused: null,
    settings: {
      sharedSecret: { set: false },
      signature: 'secret',
      webhooks: [{ url: 'https://a.example/', headers: {}, paused: null }],
      successPolicy: 'any',
    },
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
    version: 1,
  })
  expect(answer.headers.get('location')).toBe(`/api/v1/destinations/${answer.body.id}`)
  expect(answer.headers.get('etag')).toBe('"1"')
})

test('a destination is read back as it was created, and listed by its source', async () => {
  const other = await server.must<{ id: string }>('POST', '/sources', { body: { name: 'app' } })
  const created = await make({ sourceId: other.id, name: 'CRM', enabled: true })
  expect((await server.call('GET', `/destinations/${created.id}`)).body).toMatchObject(created)
  const list = (id: string) => server.must('GET', `/destinations?sourceId=${id}`)
  expect(await list(other.id)).toEqual({ data: [created], nextCursor: null })
  expect(await list('src_none')).toEqual({ data: [], nextCursor: null })
})

test('errors in the destination and in its settings are reported together', async () => {
  const { status, body } = await server.call<ProblemDocument>('POST', '/destinations', {
    body: {
      sourceId: 'src_none',
      typ: 'Webhooks',
      name: 1,
      settings: { webhooks: [{ url: 'http://u:p@a.example', headers: { host: 'x' } }], secret: 1 },
    },
  })
  expect(status).toBe(422)
  expect(errorsIn(body)).toEqual([
    '/typ unknown_field',
    '/type required',
    '/name invalid_type',
    '/sourceId unknown_source',
    '/settings/secret unknown_field',
    '/settings/webhooks/0/url credentials_in_url',
    '/settings/webhooks/0/headers/host reserved_header',
  ])
})

test.each<[string, unknown, string[]]>([
  ['no settings', { type: 'Webhooks' }, ['/settings required']],
  ['settings set to null', { type: 'Webhooks', settings: null }, ['/settings invalid_type']],
  ['an unknown type', { type: 'S3', settings: { webhookUrl: 'http://a' } }, ['/type not_allowed']],
])('a destination with %s is refused', async (_what, given, errors) => {
  const body = { sourceId, ...(given as object) }
  const answer = await server.call<ProblemDocument>('POST', '/destinations', { body })
  expect([answer.status, ...errorsIn(answer.body)]).toEqual([422, ...errors])
})

test('a webhook with a forbidden address causes a warning, with the setting that allows it', async () => {
  const settings = {
    webhooks: [
      { url: 'https://a.example/' },
      { url: 'http://10.1.2.3/hook' },
      { url: 'http://[::1]/' },
      { url: 'http://localhost:3000/' },
    ],
  }
  const { id, warnings } = await server.must<{ id: string; warnings: object[] }>(
    'POST',
    '/destinations',
    { body: { sourceId, type: 'Webhooks', settings } },
  )
  expect(warnings).toMatchObject([
    {
      pointer: '/settings/webhooks/1/url',
      code: 'address_forbidden',
      message: 'The address 10.1.2.3 is private, so the webhook cannot receive anything.',
      hint: expect.stringContaining('`hookline start --allowed-networks 10.1.2.3/32`'),
    },
    { pointer: '/settings/webhooks/2/url', code: 'address_forbidden' },
  ])
  expect(await server.must('GET', `/destinations/${id}`)).toMatchObject({ warnings })
  const change = { settings: { webhookUrl: 'https://a.example/' } }
  const changed = await server.must<object>('PATCH', `/destinations/${id}`, { body: change })
  expect(changed).not.toHaveProperty('warnings')
})

test('creating or changing a destination warns of names that resolve to a forbidden address', async () => {
  const problem = { kind: 'forbidden', address: '10.0.0.7', why: 'private' } as const
  await using other = await AdminServer.open({ hostProblem: async () => problem })
  const source = await other.must<{ id: string }>('POST', '/sources', { body: { name: 'web' } })
  const settings = { webhookUrl: 'https://crm.example/' }
  const created = await other.must<Destination>('POST', '/destinations', {
    body: { sourceId: source.id, type: 'Webhooks', settings },
  })
  const message =
    'crm.example resolves to 10.0.0.7, which is private, so the webhook cannot receive anything.'
  expect(created).toMatchObject({ warnings: [{ code: 'address_forbidden', message }] })
  const path = `/destinations/${created.id}`
  const change = { body: { enabled: true } }
  expect(await other.must('PATCH', path, change)).toMatchObject({ warnings: [{ message }] })
  // Reading does not wait for a name server.
  expect(await other.must('GET', path)).not.toHaveProperty('warnings')
})

test('a destination is shown with the limits that apply to each webhook, and their origin', async () => {
  const [first, second] = ['https://a.example/', 'https://b.example/']
  const limits = { perSecond: 20, timeout: '20s', concurrency: 100 }
  const { id } = await make({ settings: { webhooks: [{ url: first, limits }, { url: second }] } })
  const { effectiveLimits } = await server.must<{ effectiveLimits: object[] }>(
    'GET',
    `/destinations/${id}`,
  )
  const service = { origin: 'service', setting: 'maxConcurrencyPerWebhook' }
  expect(effectiveLimits).toMatchObject([
    {
      url: first,
      perSecond: { value: 20, origin: 'webhook', setting: null },
      concurrency: { value: 64, ...service },
      timeout: { value: '20s', origin: 'webhook' },
      retrySchedule: { value: null, origin: 'service', setting: 'retrySchedule' },
    },
    { url: second, perSecond: { value: null, origin: 'service', setting: null } },
  ])
})

test('a request without a body has an error for each required field', async () => {
  const answer = await server.call<ProblemDocument>('POST', '/destinations')
  expect(answer.status).toBe(422)
  expect(errorsIn(answer.body)).toEqual([
    '/sourceId required',
    '/type required',
    '/settings required',
  ])
})

test('a body that is not an object is refused', async () => {
  const answer = await server.call<ProblemDocument>('POST', '/destinations', { body: [1] })
  expect([answer.status, ...errorsIn(answer.body)]).toEqual([422, ' invalid_type'])
})

test('a change to the settings replaces the given fields, and accepts hidden values as they are shown', async () => {
  const settings = {
    sharedSecret: 'correct horse battery',
    webhooks: [{ url: 'https://a.example/', headers: { Authorization: 'Bearer abc' } }],
  }
  const created = await make({ settings })
  const path = `/destinations/${created.id}`
  const shown = await server.must<Destination>('PATCH', path, {
    body: { settings: created.settings },
  })
  expect(shown.settings).toEqual(created.settings)
  expect(storedSettings(created.id)).toEqual({ ...settings, successPolicy: 'any' })

  await server.must('PATCH', path, { body: { settings: { successPolicy: 'each' } } })
  expect(storedSettings(created.id)).toEqual({ ...settings, successPolicy: 'each' })
  await server.must('PATCH', path, { body: { enabled: true } })
  expect(storedSettings(created.id)).toEqual({ ...settings, successPolicy: 'each' })
})

test('a destination shows when it was last enabled or disabled, regardless of other changes', async () => {
  const { id, createdAt } = await make()
  const changedAt = async (body: object): Promise<unknown> => {
    server.clock.advance(1000)
    const { enabledChangedAt, updatedAt } = await server.must<Destination>(
      'PATCH',
      `/destinations/${id}`,
      { body },
    )
    return enabledChangedAt === updatedAt ? 'now' : enabledChangedAt
  }
  expect(await changedAt({ name: 'CRM' })).toBe(createdAt)
  expect(await changedAt({ enabled: false })).toBe(createdAt)
  expect(await changedAt({ enabled: true, name: 'CRM 2' })).toBe('now')
  expect(await changedAt({ enabled: true })).not.toBe('now')
  const { status, body } = await server.call<ProblemDocument>('PATCH', `/destinations/${id}`, {
    body: { enabledChangedAt: createdAt },
  })
  expect([status, errorsIn(body)]).toEqual([422, ['/enabledChangedAt immutable']])
})

test('the source and type of a destination cannot be changed', async () => {
  const { id } = await make()
  const answer = await server.call<ProblemDocument>('PATCH', `/destinations/${id}`, {
    body: { sourceId, type: 'Webhooks', settings: { successPolicy: 'none' } },
  })
  expect(answer.status).toBe(422)
  expect(errorsIn(answer.body)).toEqual([
    '/sourceId immutable',
    '/type immutable',
    '/settings/successPolicy not_allowed',
  ])
  expect(answer.body.errors[0]?.hint).toContain('create a new destination')
})

test('If-Match protects changes and removal', async () => {
  const { id } = await make()
  const path = `/destinations/${id}`
  const call = (method: string, tag: string) =>
    server.call(method, path, {
      headers: { 'if-match': tag },
      ...(method === 'PATCH' && { body: { enabled: true } }),
    })
  expect((await call('PATCH', '"1"')).headers.get('etag')).toBe('"2"')
  expect((await call('PATCH', '"1"')).status).toBe(412)
  expect((await call('DELETE', '"1"')).status).toBe(412)
  expect((await call('DELETE', '"2"')).status).toBe(204)
  expect((await call('DELETE', '"2"')).status).toBe(404)
  expect((await call('PATCH', '"2"')).status).toBe(404)
})

const settings = (secret: string) => ({
  sharedSecret: `${secret}-shared-secret-0123`,
  webhooks: [{ url: 'https://a.example/', headers: { Authorization: `Bearer ${secret}` } }],
})

test('no response or log line ever shows a secret', async () => {
  await using own = await AdminServer.open()
  const source = await own.must<{ id: string }>('POST', '/sources', { body: { name: 'web' } })
  const body = { sourceId: source.id, type: 'Webhooks', settings: settings('PLANTED') }
  const created = await own.call<Destination>('POST', '/destinations', { body })
  const path = `/destinations/${created.body.id}`
  const tooLong = { ...settings('PLANTED'.repeat(200)), successPolicy: 'PLANTED' }
  const answers = [
    created,
    await own.call('GET', path),
    await own.call('GET', '/destinations'),
    await own.call('GET', `/sources/${source.id}`),
    await own.call('PATCH', path, { body: { settings: settings('PLANTED-too') } }),
    await own.call('PATCH', path, { body: { settings: tooLong } }),
    await own.call('POST', '/destinations', { body: { ...body, settings: tooLong } }),
    await own.call('POST', '/destinations', {
      body: `{"settings": {"sharedSecret": "PLANTED" oops`,
    }),
    await own.call('PATCH', path, { body: {}, headers: { 'if-match': '"PLANTED"' } }),
    await own.call('GET', '/openapi.json'),
  ]
  expect(JSON.stringify([...own.backend.catalog.current.destinations])).toContain('PLANTED')
  for (const { text, headers } of answers) {
    expect(text).not.toContain('PLANTED')
    expect(JSON.stringify([...headers])).not.toContain('PLANTED')
  }
  expect(own.logged.join('')).not.toContain('PLANTED')
})
