import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PROBLEM_CODES, type ProblemCodeName } from '../../../src/admin/problems/problem-codes.ts'
import { BackendUnavailableError } from '../../../src/backend/backend.ts'
import { ResponseAlreadyStoredError } from '../../../src/backend/idempotent-responses.ts'
import type { Events } from '../../../src/backend/events.ts'
import { AdminServer, type Call } from '../admin-server.ts'
import type { ProblemDocument } from '../problem-document.ts'

let server: AdminServer
beforeAll(async () => {
  server = await AdminServer.open()
})
afterAll(() => server[Symbol.asyncDispose]())

const sized = (bytes: number) => `{"name":"${'x'.repeat(bytes - 11)}"}`

const form = { 'content-type': 'application/x-www-form-urlencoded' }
const gzipped = { body: gzipSync('{"name":"web"}'), headers: { 'content-encoding': 'gzip' } }

test.each<[string, string, Call, ProblemCodeName]>([
  ['an unknown path', 'GET /nothing', {}, 'not_found'],
  ['the wrong method', 'PUT /sources', {}, 'method_not_allowed'],
  [
    'the wrong method with a form',
    'PUT /sources',
    { body: 'name=web', headers: form },
    'method_not_allowed',
  ],
  [
    'the wrong method without a token',
    'PUT /sources',
    { headers: { authorization: '' } },
    'method_not_allowed',
  ],
  ['an unknown path with a form', 'PUT /nothing', { body: 'name=web', headers: form }, 'not_found'],
  ['half a document', 'POST /sources', { body: '{"name":' }, 'invalid_json'],
  [
    'bytes that are not UTF-8',
    'POST /sources',
    { body: Buffer.from('{"name":"caf\xe9"}', 'latin1') },
    'invalid_json',
  ],
  ['a prototype', 'POST /sources', { body: '{"__proto__":{}}' }, 'invalid_json'],
  ['a missing body', 'POST /sources', {}, 'invalid_body'],
  ['an empty body', 'POST /sources', { body: '' }, 'invalid_body'],
  ['the largest body', 'POST /sources', { body: sized(1_048_576) }, 'invalid_body'],
  ['a larger body', 'POST /sources', { body: sized(1_048_577) }, 'body_too_large'],
  ['a form', 'POST /sources', { body: 'name=web', headers: form }, 'unsupported_media_type'],
  ['compression', 'POST /sources', gzipped, 'invalid_json'],
])('%s gets a Problem as the response', async (_what, route, call, code) => {
  const [method = '', path = ''] = route.split(' ')
  const answer = await server.call<ProblemDocument>(method, path, call)
  const { status, title } = PROBLEM_CODES[code]
  expect(answer.headers.get('content-type')).toContain('application/problem+json')
  expect(answer.status).toBe(status)
  expect(answer.body).toEqual({
    type: `urn:hookline:problem:${code}`,
    title,
    status,
    code,
    detail: expect.any(String),
    requestId: expect.stringMatching(/./),
    errors: expect.any(Array),
  })
})

test.each([
  ['PUT', '/sources', 'GET, HEAD, POST'],
  ['OPTIONS', '/sources?limit=1', 'GET, HEAD, POST'],
  ['POST', '/sources/src_1', 'DELETE, GET, HEAD, PATCH'],
  ['GET', '/sources/src_1/write-keys/wk_1', 'DELETE'],
  ['DELETE', '/deliveries/failures', 'GET, HEAD'],
  ['POST', '/import', 'PUT'],
  ['POST', '/openapi.json', 'GET, HEAD'],
  ['HEAD', '/live', 'GET'],
])('%s %s gets 405 with the methods of the path', async (method, path, allow) => {
  const { status, headers } = await server.call(method, path)
  expect([status, headers.get('allow')?.split(', ').toSorted().join(', ')]).toEqual([405, allow])
})

test('every path of the OpenAPI document responds with 405 to unsupported methods', async () => {
  const { paths } = await server.must<{ paths: Record<string, object> }>('GET', '/openapi.json')
  expect(Object.keys(paths).length).toBeGreaterThan(25)
  for (const [path, item] of Object.entries(paths)) {
    // With an unsupported method, the router takes `preview` for an id.
    if (path.endsWith('/preview')) continue
    const url = path.replace('/api/v1', '').replaceAll(/\{\w+\}/g, 'x')
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      if (Object.hasOwn(item, method.toLowerCase())) continue
      const { status, headers, body } = await server.call<ProblemDocument>(method, url)
      expect([method, url, status, body.code]).toEqual([method, url, 405, 'method_not_allowed'])
      const allowed = headers
        .get('allow')!
        .split(', ')
        .filter((each) => each !== 'HEAD')
      expect(allowed.map((each) => each.toLowerCase()).toSorted()).toEqual(
        Object.keys(item).toSorted(),
      )
    }
  }
})

const condition = (value: string) => `{"trait":"n","op":"equals","value":${value}}`

describe('a body is refused if its values cannot be stored exactly', () => {
  test.each([
    ['12345678901234567891', 'not_exact'],
    ['9007199254740993.0', 'not_exact'],
    ['1e400', 'not_exact'],
    ['1e-400', 'not_exact'],
    [String.raw`"\ud800"`, 'not_unicode'],
    [String.raw`"a\uDC00"`, 'not_unicode'],
  ])('such as %s in a condition', async (value, code) => {
    for (const [path, more] of [
      ['/audiences/preview', ''],
      ['/audiences', ',"name":"a"'],
    ]) {
      const body = `{"condition":${condition(value)}${more}}`
      const response = await server.call<ProblemDocument>('POST', path!, { body })
      expect(response).toMatchObject({ status: 422, body: { code: 'invalid_body' } })
      const errors = response.body.errors.map(({ pointer, code: found }) => [pointer, found])
      expect(errors).toEqual([['/condition/value', code]])
    }
  })

  test('with an error for each of them, in any field', async () => {
    const body = '{"name":"a\\ud83d","rateLimit":9007199254740993,"a/b":[1,{"c":1e-400}]}'
    const response = await server.call<ProblemDocument>('POST', '/sources', { body })
    expect(response.status).toBe(422)
    expect(response.body.errors.map(({ pointer }) => pointer)).toEqual([
      '/name',
      '/rateLimit',
      '/a~1b/1/c',
    ])
    expect(response.body.errors[1]!.hint).toContain('Send it as a string')
  })
})

test.each(['9007199254740992', '"12345678901234567891"', '0.1', String.raw`"\ud83d\ude00"`])(
  'a body with %s is accepted',
  async (value) => {
    const body = `{"condition":${condition(value)}}`
    expect(await server.call('POST', '/audiences/preview', { body })).toMatchObject({ status: 200 })
  },
)

test('HEAD returns the headers of GET without a body', async () => {
  const { status, headers, text } = await server.call('HEAD', '/sources')
  expect([status, text]).toEqual([200, ''])
  expect(headers.get('content-type')).toContain('application/json')
  expect((await server.call('HEAD', '/sources', { headers: { authorization: '' } })).status).toBe(
    401,
  )
})

test('at most a hundred errors are reported', async () => {
  const body = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`k${index}`, 1]))
  const answer = await server.call<ProblemDocument>('POST', '/sources', { body })
  expect(answer.status).toBe(422)
  expect(answer.body.errors).toHaveLength(100)
})

function failing(error: Error): Partial<Record<'events', Events>> {
  const fail = async (): Promise<never> => {
    throw error
  }
  const events = { archive: fail, decidedDestinations: fail, find: fail, findAll: fail, list: fail }
  return { events }
}

test('the response is 503 with Retry-After while the database is unavailable', async () => {
  await using own = await AdminServer.open(failing(new BackendUnavailableError('disk full')))
  const { status, headers, body, text } = await own.call<ProblemDocument>('GET', '/events')
  expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'unavailable', '1'])
  expect(text).not.toContain('disk full')
  expect(own.logged.join('')).toContain('disk full')
})

test('the response is 409 with Retry-After if another node has handled a request with the same key', async () => {
  await using own = await AdminServer.open(
    failing(new ResponseAlreadyStoredError('there is a response')),
  )
  const { status, headers, body } = await own.call<ProblemDocument>('GET', '/events')
  expect([status, body.code, headers.get('retry-after')]).toEqual([409, 'request_in_progress', '1'])
})

test('the response to a bug is a 500 without its message, which is logged under the request id', async () => {
  await using own = await AdminServer.open(failing(new Error('column missing')))
  const { status, body, text } = await own.call<ProblemDocument>('GET', '/events/evt_1')
  expect([status, body.code]).toEqual([500, 'internal_error'])
  expect(text).not.toContain('column missing')
  const line = own.logged.find((each) => each.includes('column missing'))
  expect(JSON.parse(line ?? '{}')).toMatchObject({ requestId: body.requestId, method: 'GET' })
})

test('the same error is logged once in 10 s, with the number of requests', async () => {
  await using own = await AdminServer.open(failing(new BackendUnavailableError('disk full')))
  const lines = () =>
    own.logged.flatMap((line) => (line.includes('disk full') ? [JSON.parse(line) as unknown] : []))
  for (let requests = 0; requests < 5; requests++) await own.call('GET', '/events')
  expect(lines()).toMatchObject([{ requests: 1 }])
  own.clock.advance(10_000)
  expect(lines()).toMatchObject([{ requests: 1 }, { requests: 4 }])
})

test.for([
  ['GET', '/events/evt_none', {}, 404],
  ['GET', '/session', { authorization: '' }, 401],
] as const)(
  'a browser can request a 200 response to %s %s, with the actual status only in the body',
  async (row) => {
    const [method, path, headers, status] = row
    const prefer = { prefer: 'status=200' }
    const answer = await server.call<ProblemDocument>(method, path, {
      headers: { ...headers, ...prefer },
    })
    expect([answer.status, answer.headers.get('preference-applied')]).toEqual([200, 'status=200'])
    expect(answer.body.status).toBe(status)
    expect((await server.call(method, path, { headers })).status).toBe(status)
    const changed = await server.call('PATCH', '/sources/src_none', { body: {}, headers: prefer })
    expect(changed.status).toBe(404)
  },
)
