import { newId, type Webhook } from '@hookline/protocol'
import { parseRawResponse } from '@hookline/testing/network/raw-exchange'
import { once } from 'node:events'
import { connect } from 'node:net'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { AdminServer, RETENTION_MS, TOKEN } from '../admin-server.ts'
import { errorsIn, type ProblemDocument } from '../problem-document.ts'

interface Document {
  hookline: number
  sources: {
    id: string
    name: string
    enabled: boolean
    rateLimit: number | null
    writeKeys?: string[]
  }[]
  destinations: {
    id: string
    sourceId: string
    name: string
    enabled: boolean
    paused: boolean
    settings: Record<string, unknown>
  }[]
}

interface Diff {
  readonly dryRun: boolean
  readonly created: readonly string[]
  readonly changed: readonly { readonly id: string; readonly fields: readonly string[] }[]
  readonly unchanged: readonly string[]
  readonly notInDocument: readonly string[]
}

async function withConfiguration(
  server: AdminServer,
): Promise<{ source: string; destination: string }> {
  const { id } = await server.must<{ id: string }>('POST', '/sources', { body: { name: 'web' } })
  const limits = { perSecond: 20, retrySchedule: ['5s', '5m'] }
  const webhooks = [{ url: 'https://a.example/', headers: { 'x-key': 'planted header' }, limits }]
  const settings = { sharedSecret: 'planted secret of 30 bytes or so', webhooks }
  const body = { sourceId: id, type: 'Webhooks', enabled: true, settings }
  const createdDestination = await server.must<{ id: string }>('POST', '/destinations', { body })
  return { source: id, destination: createdDestination.id }
}

const importing = (server: AdminServer, body: unknown, query = '') =>
  server.must<Diff>('PUT', `/import${query}`, { body })

test('a document with secrets reproduces the configuration in another service', async () => {
  await using server = await AdminServer.open()
  const { source, destination } = await withConfiguration(server)
  const document = await server.must<Document>('GET', '/export?withSecrets=true')
  await using other = await AdminServer.open()
  expect(await importing(other, document)).toEqual({
    dryRun: false,
    created: [source, destination],
    changed: [],
    unchanged: [],
    notInDocument: [],
  })
  expect(await other.must('GET', '/export?withSecrets=true')).toEqual(document)
  expect((await importing(other, document)).unchanged).toEqual([source, destination])
  const { settings } = other.backend.catalog.current.destinations.get(destination)!
  expect(settings.sharedSecret).toBe('planted secret of 30 bytes or so')
})

test('a document without secrets contains none, and importing it keeps the stored ones', async () => {
  await using server = await AdminServer.open()
  const { destination } = await withConfiguration(server)
  const { text } = await server.call('GET', '/export')
  const [key] = [...server.backend.catalog.current.sources.values()][0]!.writeKeys
  for (const secret of ['planted', key!.key]) expect(text).not.toContain(secret)
  expect((await server.call('GET', '/export')).text).toBe(text)
  const document = JSON.parse(text) as Document
  document.sources[0]!.name = 'shop'
  const diff = await importing(server, document)
  expect(diff.changed.map(({ fields }) => fields)).toEqual([['name']])
  const { settings } = server.backend.catalog.current.destinations.get(destination)!
  expect(settings).toMatchObject({
    sharedSecret: 'planted secret of 30 bytes or so',
    webhooks: [{ headers: { 'x-key': 'planted header' }, limits: { perSecond: 20 } }],
  })
  expect([...server.backend.catalog.current.sources.values()][0]).toMatchObject({
    name: 'shop',
    writeKeys: [key],
  })
})

test('a paused destination is imported as paused, and importing the same document again changes nothing', async () => {
  await using server = await AdminServer.open()
  const { source, destination } = await withConfiguration(server)
  await server.must('POST', `/destinations/${destination}/pause`)
  const document = await server.must<Document>('GET', '/export?withSecrets=true')
  expect(document.destinations).toMatchObject([{ paused: true }])
  const pausedIn = ({ backend }: AdminServer) =>
    backend.catalog.current.destinations.get(destination)?.paused
  await using other = await AdminServer.open()
  other.clock.advance(5)
  await importing(other, document)
  expect(pausedIn(other)).toEqual({ since: other.clock.now(), reason: 'operator' })
  other.clock.advance(5)
  expect((await importing(other, document)).unchanged).toEqual([source, destination])

  const { paused: _, ...silent } = document.destinations[0]!
  await importing(server, { ...document, destinations: [silent] })
  expect(pausedIn(server)).not.toBeNull()
  const resumed = { ...document, destinations: [{ ...silent, paused: false }] }
  expect((await importing(server, resumed)).changed).toEqual([
    { id: destination, fields: ['paused'] },
  ])
  expect(pausedIn(server)).toBeNull()
})

test('an imported destination records the time when the import enabled or disabled it', async () => {
  await using server = await AdminServer.open()
  const { destination } = await withConfiguration(server)
  const document = await server.must<Document>('GET', '/export?withSecrets=true')
  await using other = await AdminServer.open()
  const changedAt = () =>
    other.backend.catalog.current.destinations.get(destination)?.enabledChangedAt
  await importing(other, document)
  const createdAt = other.clock.now()
  other.clock.advance(5)
  const [exported] = document.destinations
  await importing(other, { ...document, destinations: [{ ...exported!, name: 'renamed' }] })
  expect(changedAt()).toBe(createdAt)
  const toggled = { ...exported!, enabled: !exported!.enabled }
  const { changed } = await importing(other, { ...document, destinations: [toggled] })
  expect(changed).toEqual([{ id: destination, fields: ['name', 'enabled'] }])
  expect(changedAt()).toBe(other.clock.now())
})

test('a dry run reports the changes without making any, not even in the audit log', async () => {
  await using server = await AdminServer.open()
  const { source } = await withConfiguration(server)
  const document = await server.must<Document>('GET', '/export?withSecrets=true')
  await server.must('PATCH', `/sources/${source}`, { body: { rateLimit: 5 } })
  await server.must('POST', '/sources', { body: { name: 'other' } })
  const audited = async () => (await server.must<{ data: [] }>('GET', '/audit')).data.length
  const before = await audited()
  const diff = await importing(server, document, '?dryRun=true')
  expect(diff).toMatchObject({ dryRun: true, changed: [{ id: source, fields: ['rateLimit'] }] })
  expect(diff.notInDocument).toHaveLength(1)
  expect(server.backend.catalog.current.sources.get(source)?.rateLimit).toBe(5)
  expect(await audited()).toBe(before)
})

test('an import restores the fields of a source and their salt, keeps them if they are absent, and removes them if they are null', async () => {
  await using server = await AdminServer.open()
  const { source } = await withConfiguration(server)
  const salt = 'the salt of this test'
  const fields = { drop: ['context.ip'], hash: [{ path: 'traits.email' }], salt }
  await server.must('PATCH', `/sources/${source}`, { body: { fields } })
  const { sources } = await server.must<Document>('GET', '/export?withSecrets=true')
  expect(sources).toMatchObject([{ fields }])
  const stored = () => server.backend.catalog.current.sources.get(source)?.fields
  const importSource = async (change: object) =>
    importing(server, { hookline: 1, sources: [{ ...sources[0], ...change }], destinations: [] })
  const shown = { ...fields, salt: { set: true } }
  expect(await importSource({ fields: shown })).toMatchObject({ unchanged: [source] })
  expect(await importSource({ fields: undefined })).toMatchObject({ unchanged: [source] })
  expect(stored()).toEqual(fields)
  expect(await importSource({ fields: null })).toMatchObject({
    changed: [{ id: source, fields: ['fields'] }],
  })
  expect(stored()).toBeUndefined()
  await importSource({ fields })
  expect(stored()).toEqual(fields)
  const invalid = { ...sources[0], fields: { drop: ['userId'] } }
  const { body } = await server.call<ProblemDocument>('PUT', '/import', {
    body: { hookline: 1, sources: [invalid], destinations: [] },
  })
  expect(errorsIn(body)).toEqual(['/sources/0/fields/drop/0 not_allowed'])
})

test('all errors in a document are reported, and none of its records is imported', async () => {
  await using server = await AdminServer.open()
  const { source } = await withConfiguration(server)
  const document = await server.must<Document>('GET', '/export?withSecrets=true')
  const [entry] = document.destinations
  const stranger = 'src_01kf0rdqg0f88trbntrw0bgpgn'
  const faulty = {
    ...document,
    sources: [
      ...document.sources,
      {
        id: stranger,
        name: 'b',
        enabled: true,
        rateLimit: null,
        writeKeys: document.sources[0]!.writeKeys,
      },
    ],
    destinations: [
      entry,
      { ...entry, sourceId: stranger },
      {
        ...entry,
        id: 'dst_01kf0rdqg0f88trbntrw0bgpgn',
        settings: { webhooks: [], successPolicy: 'x' },
      },
    ],
  }
  const { status, body } = await server.call<ProblemDocument>('PUT', '/import', { body: faulty })
  expect(status).toBe(422)
  expect(errorsIn(body)).toEqual([
    '/destinations/1/id not_unique',
    '/sources/1/writeKeys/0 not_unique',
    '/destinations/1/sourceId immutable',
    '/destinations/2/settings/webhooks too_few',
    '/destinations/2/settings/successPolicy not_allowed',
  ])
  expect([...server.backend.catalog.current.sources.keys()]).toEqual([source])
})

test.each([
  [{}, '/hookline required'],
  [{ hookline: 2, sources: [], destinations: [] }, '/hookline not_allowed'],
  [{ hookline: 1, sources: [{ id: 'x' }], destinations: [] }, '/sources/0 invalid'],
  [{ hookline: 1, sources: [], destinations: [], secrets: [] }, '/secrets unknown_field'],
])('%j is refused', async (document, fieldError) => {
  await using server = await AdminServer.open()
  const answer = await server.call<ProblemDocument>('PUT', '/import', { body: document })
  expect(answer.status).toBe(422)
  expect(errorsIn(answer.body)).toContain(fieldError)
})

test('an import, and its dry run, warn of webhooks that would receive nothing', async () => {
  await using server = await AdminServer.open()
  await withConfiguration(server)
  const document = await server.must<Document>('GET', '/export')
  expect(await importing(server, document)).not.toHaveProperty('warnings')
  document.destinations[0]!.settings['webhooks'] = [{ url: 'http://10.1.2.3/', headers: {} }]
  const pointer = '/destinations/0/settings/webhooks/0/url'
  const warnings = [expect.objectContaining({ pointer, code: 'address_forbidden' })]
  expect(await importing(server, document, '?dryRun=true')).toMatchObject({ warnings })
  expect(await importing(server, document)).toMatchObject({ warnings })
})

/** Changes the webhook of the destination in the catalog. */
async function putWebhook(server: AdminServer, id: string, change: Partial<Webhook>) {
  const { catalog } = server.backend
  const { settings, version, ...rest } = catalog.current.destinations.get(id)!
  const webhooks = settings.webhooks.map((webhook) => ({ ...webhook, ...change }))
  await catalog.putDestination({
    ...rest,
    settings: { ...settings, webhooks },
    version: version + 1,
  })
}

test('a retry window that is not shorter than retention is kept with a warning, and importing it elsewhere is refused with a hint', async () => {
  await using server = await AdminServer.open()
  const { destination } = await withConfiguration(server)
  await putWebhook(server, destination, { limits: { retryWindowMs: RETENTION_MS } })
  const pointer = '/settings/webhooks/0/limits/retryWindow'
  const message = 'retryWindow must be shorter than retention, which is 7d.'
  const hint = 'Use less than 7d, or ask the operator to increase the retention setting.'
  const shown = await server.must<{ settings: object }>('GET', `/destinations/${destination}`)
  const warnings = [{ pointer, code: 'retry_window_too_long', message, hint }]
  expect(shown).toMatchObject({ warnings })
  const body = { settings: shown.settings, name: 'CRM' }
  expect(await server.must('PATCH', `/destinations/${destination}`, { body })).toMatchObject({
    warnings,
  })
  const document = await server.must<Document>('GET', '/export?withSecrets=true')
  expect((await importing(server, document)).unchanged).toContain(destination)
  await using other = await AdminServer.open()
  const refused = await other.call<ProblemDocument>('PUT', '/import', { body: document })
  expect(refused.body.errors).toEqual([
    { pointer: `/destinations/0${pointer}`, code: 'out_of_range', message, hint },
  ])
})

test('the pause of a webhook is exported and imported, but an import resumes no webhook', async () => {
  await using server = await AdminServer.open()
  const { destination } = await withConfiguration(server)
  const running = await server.must<Document>('GET', '/export?withSecrets=true')
  const paused = { since: 1, reason: 'disabled_by_receiver' } as const
  await putWebhook(server, destination, { paused })
  const document = await server.must<Document>('GET', '/export?withSecrets=true')
  const [webhook] = document.destinations[0]!.settings['webhooks'] as [object]
  expect(webhook).toMatchObject({ paused: { reason: 'disabled_by_receiver' } })
  for (const each of [document, running])
    expect((await importing(server, each)).unchanged).toContain(destination)
  await using other = await AdminServer.open()
  await importing(other, document)
  const { settings } = other.backend.catalog.current.destinations.get(destination)!
  const since = other.clock.wall()
  expect(settings.webhooks[0]!.paused).toEqual({ since, reason: 'disabled_by_receiver' })
  expect((await importing(other, document)).unchanged).toContain(destination)
  for (const wrong of [true, { reason: 'x' }]) {
    Object.assign(webhook, { paused: wrong, url: 'https://b.example/' })
    const refused = await other.call<ProblemDocument>('PUT', '/import', { body: document })
    expect(errorsIn(refused.body)).toEqual([
      '/destinations/0/settings/webhooks/0/paused not_allowed',
    ])
  }
})

test('a webhook with a forbidden URL is exported without its pause', async () => {
  await using server = await AdminServer.open()
  const { destination } = await withConfiguration(server)
  await putWebhook(server, destination, { paused: { since: 1, reason: 'url_forbidden' } })
  expect((await server.call('GET', '/export?withSecrets=true')).text).not.toContain('url_forbidden')
})

test('an export of 8,000 sources and 250 audiences, larger than 1 MiB, can be imported', async () => {
  await using server = await AdminServer.open()
  const { destination } = await withConfiguration(server)
  const condition = { trait: 'plan', op: 'equals', value: 'x'.repeat(500) }
  const audience = { destinationIds: [destination], condition }
  await server.must('POST', '/audiences', { body: { ...audience, name: 'First' } })
  const small = await server.must<Document & { audiences: { id: string; name: string }[] }>(
    'GET',
    '/export?withSecrets=true',
  )
  const [source, computed] = [small.sources[0]!, small.audiences[0]!]
  const large = {
    ...small,
    sources: [
      source,
      ...numbered(8_000, (number) => ({
        ...source,
        id: newId('src', number),
        name: `Shop ${number}`,
        writeKeys: [`key-of-shop-${number}`],
      })),
    ],
    audiences: numbered(250, (number) => ({
      ...computed,
      id: newId('aud', number),
      key: `plan_${number}`,
      name: `Plan ${number}`,
    })),
  }
  await importing(server, large)
  const exported = await server.call<Document>('GET', '/export?withSecrets=true')
  expect(exported.text.length).toBeGreaterThan(1024 * 1024)
  await using other = await AdminServer.open()
  const { created } = await importing(other, exported.body)
  expect(created.length).toBeGreaterThan(8_250)
  expect(await other.must('GET', '/export?withSecrets=true')).toEqual(exported.body)
})

test('bodies over 1 MiB are refused, except for an import, which may be up to 32 MiB', async () => {
  await using server = await AdminServer.open()
  const tooLarge = { status: 413, body: { code: 'body_too_large' } }
  const name = 'x'.repeat(1024 * 1024)
  expect(await server.call('POST', '/sources', { body: { name } })).toMatchObject(tooLarge)
  const body = `{"hookline":${' '.repeat(32 * 1024 * 1024)}1}`
  expect(await server.call('PUT', '/import', { body })).toMatchObject(tooLarge)
})

test.each([
  ['PUT', '/import', 33],
  ['POST', '/sources', 8],
])(
  'a client that writes the whole body of %s %s, %i MiB, before it reads gets 413',
  async (method, path, mib) => {
    await using server = await AdminServer.open()
    const { port, pathname } = new URL(server.origin)
    const bytes = mib * 1024 * 1024
    const head = [
      `${method} ${pathname}${path} HTTP/1.1`,
      'Host: localhost',
      `Authorization: Bearer ${TOKEN}`,
      'Content-Type: application/json',
      `Content-Length: ${bytes}`,
    ]
    await using socket = connect(Number(port), '127.0.0.1')
    socket.write(`${head.join('\r\n')}\r\n\r\n`)
    for (let written = 0; written < bytes; written += 65_536)
      await promisify<Buffer>(socket.write.bind(socket))(Buffer.alloc(65_536, ' '))
    const [response] = (await once(socket, 'data')) as [Buffer]
    expect(parseRawResponse(response.toString())).toMatchObject({ status: 413 })
  },
)

test.each(['.', '..'])('a write key that cannot be in a path (%s) is not imported', async (key) => {
  await using server = await AdminServer.open()
  await withConfiguration(server)
  const document = await server.must<Document>('GET', '/export?withSecrets=true')
  document.sources[0]!.writeKeys = [key]
  const response = await server.call<ProblemDocument>('PUT', '/import', { body: document })
  expect(response.status).toBe(422)
  expect(errorsIn(response.body)).toEqual(['/sources/0/writeKeys/0 invalid_format'])
})

function numbered<T>(count: number, make: (number: number) => T): T[] {
  return Array.from({ length: count }, (_, number) => make(number))
}
