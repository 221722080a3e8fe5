import { beforeAll, afterAll, expect, test } from 'vitest'
import { AdminServer, TOKEN } from '../admin-server.ts'
import type { ProblemDocument } from '../problem-document.ts'

let server: AdminServer
beforeAll(async () => {
  server = await AdminServer.open()
})
afterAll(() => server[Symbol.asyncDispose]())

const OPEN = ['GET /api/v1/openapi.json', 'HEAD /api/v1/openapi.json']

test('every route except the OpenAPI document responds with 401 without a token', async () => {
  expect(server.routes.length).toBeGreaterThan(20)
  const open: string[] = []
  for (const route of server.routes) {
    const [method = '', url = ''] = route.split(' ')
    const path = url.replace('/api/v1', '').replaceAll(/:\w+/g, 'x')
    const { status } = await server.call(method, path, { headers: { authorization: '' } })
    if (status !== 401) open.push(route)
  }
  expect(open.toSorted()).toEqual(OPEN)
})

test('the response to a request without a token has a Problem and a challenge', async () => {
  const { status, headers, body } = await server.call<ProblemDocument>('GET', '/sources', {
    headers: { authorization: '' },
  })
  expect(status).toBe(401)
  expect(headers.get('www-authenticate')).toBe('Bearer realm="Hookline"')
  expect(headers.get('content-type')).toContain('application/problem+json')
  expect(body).toMatchObject({ status: 401, code: 'unauthorized', errors: [] })
})

test.each([
  ['another token', 'Bearer tok_other'],
  ['a longer token', `Bearer ${TOKEN}x`],
  ['a shorter token', `Bearer ${TOKEN.slice(0, -1)}`],
  ['the redacted token', 'Bearer [redacted]'],
])('%s is refused as invalid', async (_what, authorization) => {
  const { status, headers } = await server.call('GET', '/sources', { headers: { authorization } })
  expect(status).toBe(401)
  expect(headers.get('www-authenticate')).toContain('error="invalid_token"')
})

test.each([
  ['no scheme', TOKEN],
  ['the scheme Basic', `Basic ${TOKEN}`],
  ['two tokens', `Bearer ${TOKEN} ${TOKEN}`],
  ['no token', 'Bearer '],
])('an Authorization header with %s is refused', async (_what, authorization) => {
  const { status } = await server.call('GET', '/sources', { headers: { authorization } })
  expect(status).toBe(401)
})

test('the scheme is case-insensitive', async () => {
  const headers = { authorization: `bearer ${TOKEN}` }
  expect((await server.call('GET', '/sources', { headers })).status).toBe(200)
})

test('a request with an invalid token changes nothing', async () => {
  const call = { headers: { authorization: 'Bearer x' }, body: { name: 'web' } }
  expect((await server.call('POST', '/sources', call)).status).toBe(401)
  expect(server.backend.catalog.current.sources.size).toBe(0)
})

test('a response must not be cached', async () => {
  const { headers } = await server.call('GET', '/sources')
  expect(headers.get('cache-control')).toBe('no-store')
})
