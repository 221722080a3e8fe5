import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseRawResponse, rawExchange } from '../../packages/server/test/harness/raw-exchange.ts'
import { type RunningService, startService } from '../harness/running-service.ts'

let service: RunningService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service[Symbol.asyncDispose]())

const answerTo = async (line: string, ...headers: readonly string[]) => {
  const head = [`${line} HTTP/1.1`, 'Host: test', 'Connection: close', ...headers].join('\r\n')
  const port = Number(new URL(service.url).port)
  return parseRawResponse(await rawExchange(port, `${head}\r\n\r\n`))
}

const large = `X-Large: ${'x'.repeat(20_000)}`

test.for([
  ['a path whose encoding is broken', 400, 'bad_request', 'GET /api/v1/sources/%zz', ''],
  ['headers that are too large', 431, 'headers_too_large', 'GET /api/v1/sources', large],
  ['a path beside the version', 404, 'not_found', 'GET /api/v2/sources', ''],
  ['the path of the API alone', 404, 'not_found', 'GET /api?a=b', ''],
  ['another method there', 404, 'not_found', 'POST /api/docs', 'Content-Length: 0'],
  ['an expectation', 400, 'bad_request', 'GET /api/v1/sources', 'Expect: miracles'],
] as const)('%s is answered with a problem', async ([, status, code, line, header]) => {
  const answer = await answerTo(line, ...(header === '' ? [] : [header]))
  expect(answer.status).toBe(status)
  expect(answer.headers).toContain('content-type: application/problem+json')
  expect(JSON.parse(answer.body)).toMatchObject({
    type: `urn:hookline:problem:${code}`,
    status,
    code,
    requestId: expect.stringMatching(/./),
    errors: [],
  })
})

test('a body that breaks off is answered with a problem, too', async () => {
  const headers = [`Authorization: Bearer ${service.token}`, 'Content-Type: application/json']
  const answer = await answerTo(
    'POST /api/v1/sources',
    ...headers,
    'Transfer-Encoding: chunked',
    '',
    'zz',
  )
  expect([answer.status, JSON.parse(answer.body)]).toMatchObject([400, { code: 'bad_request' }])
})

test.for([
  ['GET /v1/%zz', 400],
  ['GET /apiary', 404],
  ['GET /metrics/%zz', 400],
] as const)('%s is answered as the ingestion answers', async ([line, status]) => {
  const answer = await answerTo(line)
  expect(answer.status).toBe(status)
  expect(JSON.parse(answer.body)).toMatchObject({ success: false })
})
