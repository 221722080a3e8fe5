import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PROBLEM_CODES, type ProblemCodeName } from '../../../src/admin/problems/problem-codes.ts'
import { BackendUnavailable } from '../../../src/backend/backend.ts'
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
  ['an unknown method', 'PUT /sources', {}, 'not_found'],
  ['half a document', 'POST /sources', { body: '{"name":' }, 'invalid_json'],
  ['a prototype', 'POST /sources', { body: '{"__proto__":{}}' }, 'invalid_json'],
  ['no body', 'POST /sources', {}, 'invalid_body'],
  ['an empty body', 'POST /sources', { body: '' }, 'invalid_body'],
  ['the largest body', 'POST /sources', { body: sized(1_048_576) }, 'invalid_body'],
  ['a larger body', 'POST /sources', { body: sized(1_048_577) }, 'body_too_large'],
  ['a form', 'POST /sources', { body: 'name=web', headers: form }, 'unsupported_media_type'],
  ['compression', 'POST /sources', gzipped, 'invalid_json'],
])('%s gets a Problem as response', async (_what, route, call, code) => {
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

test('at most a hundred faults are reported', async () => {
  const body = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`k${index}`, 1]))
  const answer = await server.call<ProblemDocument>('POST', '/sources', { body })
  expect(answer.status).toBe(422)
  expect(answer.body.errors).toHaveLength(100)
})

function failing(error: Error): Partial<Record<'events', Events>> {
  const fail = async (): Promise<never> => {
    throw error
  }
  return { events: { archive: fail, find: fail, list: fail } }
}

test('the response is 503 with Retry-After while the database is unavailable', async () => {
  await using own = await AdminServer.open(failing(new BackendUnavailable('disk full')))
  const { status, headers, body, text } = await own.call<ProblemDocument>('GET', '/events')
  expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'unavailable', '1'])
  expect(text).not.toContain('disk full')
  expect(own.logged.join('')).toContain('disk full')
})

test('the response to a bug is 500 without its message, which the log has under the request id', async () => {
  await using own = await AdminServer.open(failing(new Error('column missing')))
  const { status, body, text } = await own.call<ProblemDocument>('GET', '/events/evt_1')
  expect([status, body.code]).toEqual([500, 'internal_error'])
  expect(text).not.toContain('column missing')
  const line = own.logged.find((each) => each.includes('column missing'))
  expect(JSON.parse(line ?? '{}')).toMatchObject({ requestId: body.requestId, method: 'GET' })
})
