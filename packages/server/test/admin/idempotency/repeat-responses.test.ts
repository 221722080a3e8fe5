import { expect, test } from 'vitest'
import { AdminServer } from '../admin-server.ts'
import type { ProblemDocument } from '../problem-document.ts'

const DAY = 24 * 3_600_000
const key = (text: string) => ({ 'idempotency-key': text })

test('a second POST with the same key gets the same response, and does nothing', async () => {
  await using server = await AdminServer.open()
  const call = { headers: key('k1'), body: { name: 'web' } }
  const first = await server.call('POST', '/sources', call)
  const again = await server.call('POST', '/sources', call)
  expect([again.status, again.text]).toEqual([201, first.text])
  for (const name of ['etag', 'location', 'content-type']) {
    expect(again.headers.get(name)).toBe(first.headers.get(name))
  }
  expect([first, again].map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([
    null,
    'true',
  ])
  expect(server.backend.catalog.current.sources.size).toBe(1)
  expect((await server.must<{ data: [] }>('GET', '/audit')).data).toHaveLength(1)
})

test('the same key with another body or path is refused, and is a new key for another token', async () => {
  await using server = await AdminServer.open()
  const { token } = await server.must<{ token: string }>('POST', '/tokens', {
    headers: key('k1'),
    body: { name: 'ci', role: 'editor' },
  })
  for (const [path, body] of [
    ['/tokens', { name: 'ci', role: 'viewer' }],
    ['/sources', { name: 'ci', role: 'editor' }],
  ] as const) {
    const answer = await server.call<ProblemDocument>('POST', path, { headers: key('k1'), body })
    expect(answer.status).toBe(422)
  }
  const reused = { headers: key('k1'), body: { name: 'web' } }
  const answer = await server.call<ProblemDocument>('POST', '/sources', reused)
  expect([answer.status, answer.body.code]).toEqual([422, 'idempotency_key_reused'])
  const headers = { ...key('k1'), authorization: `Bearer ${token}` }
  const other = await server.call('POST', '/sources', { headers, body: { name: 'web' } })
  expect(other.status).toBe(201)
})

test('after 24 hours the key can be used again', async () => {
  await using server = await AdminServer.open()
  const call = { headers: key('k1'), body: { name: 'web' } }
  await server.must('POST', '/sources', call)
  server.clock.advance(DAY - 1)
  expect((await server.call('POST', '/sources', call)).headers.get('idempotent-replayed')).toBe(
    'true',
  )
  server.clock.advance(1)
  expect(
    (await server.call('POST', '/sources', call)).headers.get('idempotent-replayed'),
  ).toBeNull()
  expect(server.backend.catalog.current.sources.size).toBe(2)
})

test('a key remains valid after the system clock jumped forward', async () => {
  await using server = await AdminServer.open()
  const call = { headers: key('k1'), body: { name: 'web' } }
  await server.must('POST', '/sources', call)
  server.clock.jump(2 * DAY)
  await server.must('POST', '/sources', call)
  expect(server.backend.catalog.current.sources.size).toBe(1)
})

test('after a refused request the key can be used again', async () => {
  await using server = await AdminServer.open()
  await server.call('POST', '/sources', { headers: key('k1'), body: {} })
  const answer = await server.call('POST', '/sources', {
    headers: key('k1'),
    body: { name: 'web' },
  })
  expect(answer.status).toBe(201)
})

test('of simultaneous requests one runs, and the others get 409 or the same response', async () => {
  await using server = await AdminServer.open()
  const call = { headers: key('k1'), body: { name: 'web' } }
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => server.call('POST', '/sources', call)),
  )
  expect(answers.map(({ status }) => status).filter((status) => status !== 409)).toContain(201)
  expect(answers.every(({ status }) => [201, 409].includes(status))).toBe(true)
  expect(server.backend.catalog.current.sources.size).toBe(1)
})

test('a response with a new token is stored encrypted, and returned again', async () => {
  await using server = await AdminServer.open()
  const call = { headers: key('k1'), body: { name: 'ci', role: 'admin' } }
  const created = await server.must<{ token: string }>('POST', '/tokens', call)
  expect(await server.must('POST', '/tokens', call)).toEqual(created)
  const stored = await server.backend.idempotentResponses.find('admin-token k1', server.clock.now())
  const bytes = Buffer.from(stored!.sealed, 'base64').toString('latin1')
  expect(bytes).not.toContain(created.token)
})

test.each(['', ' ', 'x'.repeat(256), 'ü'])('the key %j is refused', async (text) => {
  await using server = await AdminServer.open()
  const call = { headers: key(encodeURI(text) === text ? text : 'a b'), body: { name: 'web' } }
  const { status, headers, body } = await server.call<ProblemDocument>('POST', '/sources', call)
  expect([status, body.code]).toEqual([400, 'bad_request'])
  expect(headers.get('content-type')).toContain('application/problem+json')
  expect(body.detail).toContain('1 to 255 visible ASCII characters')
})
