import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseRawResponse, rawExchange } from '@hookline/testing/network/raw-exchange'
import { newSource, sendTo } from '@hookline/testing/service/new-source'
import { type RunningService, startService } from '@hookline/testing/service/running-service'

let service: RunningService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service[Symbol.asyncDispose]())

const responseTo = async (line: string, ...headers: readonly string[]) => {
  const head = [`${line} HTTP/1.1`, 'Host: test', 'Connection: close', ...headers].join('\r\n')
  const port = Number(new URL(service.url).port)
  return parseRawResponse(await rawExchange(port, `${head}\r\n\r\n`))
}

const large = `X-Large: ${'x'.repeat(20_000)}`

test.for([
  ['a path with a broken encoding', 400, 'bad_request', 'GET /api/v1/sources/%zz', ''],
  [
    'a query with a broken encoding',
    400,
    'bad_request',
    'DELETE /api/v1/suppressions?userId=%E9',
    '',
  ],
  ['headers that are too large', 431, 'headers_too_large', 'GET /api/v1/sources', large],
  ['a path of a different version', 404, 'not_found', 'GET /api/v2/sources', ''],
  ['the path of the API without a version', 404, 'not_found', 'GET /api?a=b', ''],
  [
    'the wrong method for the reference page',
    405,
    'method_not_allowed',
    'POST /api/docs',
    'Content-Length: 0',
  ],
  ['the wrong method for a route', 405, 'method_not_allowed', 'GET /api/v1/replays/x/cancel/', ''],
  ['an Expect header', 400, 'bad_request', 'GET /api/v1/sources', 'Expect: miracles'],
] as const)('the response to %s is a Problem', async ([, status, code, line, header]) => {
  const response = await responseTo(line, ...(header === '' ? [] : [header]))
  expect(response.status).toBe(status)
  expect(response.headers).toContain('content-type: application/problem+json')
  expect(JSON.parse(response.body)).toMatchObject({
    type: `urn:hookline:problem:${code}`,
    status,
    code,
    requestId: expect.stringMatching(/./),
    errors: [],
  })
})

test('a call with an unreadable query is accepted, because only the write key is read from it', async () => {
  const { writeKey } = await newSource(service.api)
  const call = { type: 'track', event: 'E', userId: 'u1' }
  expect((await sendTo(`${service.url}/v1/track?x=%E9`, writeKey, call)).status).toBe(200)
})

test('the response to a broken body is also a Problem', async () => {
  const headers = [`Authorization: Bearer ${service.token}`, 'Content-Type: application/json']
  const response = await responseTo(
    'POST /api/v1/sources',
    ...headers,
    'Transfer-Encoding: chunked',
    '',
    'zz',
  )
  expect([response.status, JSON.parse(response.body)]).toMatchObject([400, { code: 'bad_request' }])
})

test.for(['..', '%2e%2e', '.'])(
  'a client that normalises the write key %s in a path deletes nothing',
  async (key) => {
    const { id } = await service.api.call<{ id: string }>('POST', 'sources', { name: 'kept' })
    const path = `/api/v1/sources/${id}/write-keys/${key}`
    const headers = { authorization: `Bearer ${service.token}` }
    const response = await fetch(service.url + path, { method: 'DELETE', headers })
    expect(response.status).toBe(key === '.' ? 405 : 404)
    expect(await service.api.call('GET', `sources/${id}/`)).toMatchObject({ id })
  },
)

test.for([
  ['GET /v1/%zz', 400],
  ['GET /apiary', 404],
  ['GET /metrics/%zz', 400],
] as const)('the response to %s has the format of the ingestion API', async ([line, status]) => {
  const response = await responseTo(line)
  expect(response.status).toBe(status)
  expect(JSON.parse(response.body)).toMatchObject({ success: false })
})
