import { INGEST_CODES, type IngestCodeName } from '@hookline/protocol'
import type { FastifyInstance } from 'fastify'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { parseConfig } from '../../src/config.ts'
import { createHttpServer } from '../../src/http/server.ts'
import { parseRawAnswer, rawExchange } from '../harness/raw-exchange.ts'

let server: FastifyInstance
let logged: string[]
const port = () => (server.server.address() as AddressInfo).port

beforeEach(async () => {
  logged = []
  const logger = pino({}, { write: (line) => logged.push(line) })
  const config = parseConfig({}, { requestTimeoutMs: '200' })
  server = createHttpServer({ config, logger })
  server.post('/calls', () => ({ taken: true }))
  server.get('/broken', () => {
    throw new Error('the secret reason')
  })
  server.get('/items/:id', (request) => request.params)
  server.register(
    async (api) => {
      api.setNotFoundHandler((_request, reply) => reply.code(404).send({ from: 'api' }))
      api.setErrorHandler((_error, _request, reply) => reply.code(418).send({ from: 'api' }))
      api.get('/broken', () => {
        throw new Error('broken')
      })
    },
    { prefix: '/api' },
  )
  await server.listen({ host: '127.0.0.1', port: 0 })
})

afterEach(() => server.close())

/** Sends bytes, and expects the error answer of `code` and nothing else. */
async function expectError(code: IngestCodeName, ...parts: readonly (string | Buffer)[]) {
  const answer = parseRawAnswer(await rawExchange(port(), ...parts))
  const { status, message } = INGEST_CODES[code]
  expect(answer.status).toBe(status)
  expect(answer.headers).toContain('content-type: application/json')
  expect(JSON.parse(answer.body)).toEqual({
    success: false,
    code,
    message,
    error: `${code}: ${message}`,
  })
  return answer
}

const http = (line: string, ...headers: readonly string[]) =>
  `${[`${line} HTTP/1.1`, 'Host: test', 'Connection: close', ...headers].join('\r\n')}\r\n\r\n`

describe('the HTTP server', () => {
  test('answers 404 at a path that does not exist', async () => {
    await expectError('not_found', http('GET /nowhere'))
  })

  test('answers 404 there also when the body cannot be read', async () => {
    const body = '{"broken'
    const headers = ['Content-Type: application/json', `Content-Length: ${body.length}`]
    await expectError('not_found', http('POST /nowhere', ...headers), body)
    await expectError('not_found', http('POST /nowhere', 'Content-Type: ;;', 'Content-Length: 0'))
  })

  test('answers 405 with Allow where the path takes other methods', async () => {
    expect((await expectError('method_not_allowed', http('GET /calls'))).headers).toMatch(
      /^allow: post$/m,
    )
    const { headers } = await expectError('method_not_allowed', http('DELETE /items/1/?a=b'))
    expect(headers).toMatch(/^allow: get, head$/m)
    await expectError('method_not_allowed', http('PROPFIND /calls'))
  })

  test('answers 405 to CONNECT', async () => {
    await expectError('method_not_allowed', http('CONNECT example.com:443'))
  })

  test('answers 400 to a URL that cannot be read', async () => {
    await expectError('bad_request', http('GET /items/%E0%A4%A'))
  })

  test('leaves a path parameter of any length to its route', async () => {
    const id = 'x'.repeat(10_000)
    const answer = parseRawAnswer(await rawExchange(port(), http(`GET /items/${id}`)))
    expect([answer.status, JSON.parse(answer.body)]).toEqual([200, { id }])
  })

  test('answers 400 to what is not HTTP', async () => {
    await expectError('bad_request', 'this is not HTTP\r\n\r\n')
    await expectError('bad_request', Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00]))
  })

  test('answers 400 to a body that breaks off', async () => {
    const chunked = ['Content-Type: application/json', 'Transfer-Encoding: chunked']
    await expectError('bad_request', http('POST /calls', ...chunked), 'zz\r\n')
    // Without a type the framework answers before the body: there must not be a second answer.
    await expectError('bad_request', http('POST /calls', 'Transfer-Encoding: chunked'), 'zz\r\n')
  })

  test('answers 400 to an expectation it cannot meet', async () => {
    await expectError('bad_request', http('GET /items/1', 'Expect: miracles'))
  })

  test('answers 431 to headers that are too large, however large', async () => {
    await expectError('headers_too_large', http('GET /items/1', `X-Large: ${'x'.repeat(20_000)}`))
    await expectError('headers_too_large', http('GET /', `X-Large: ${'x'.repeat(1024 * 1024)}`))
  })

  test('answers 408 to a request that does not arrive in time', async () => {
    await expectError('request_timeout', 'GET / HTTP/1.1\r\nHost: te')
  })

  test('answers 500 to an unexpected error and logs it under the id it answers with', async () => {
    const { headers, body } = await expectError('internal_error', http('GET /broken'))
    expect(body).not.toContain('secret')
    const [, requestId] = /^x-request-id: (\S+)$/m.exec(headers) ?? []
    expect(logged.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { level: 50, requestId, err: { message: 'the secret reason' } },
    ])
  })

  test('takes a request without Host, as HTTP/1.0 clients send it', async () => {
    const answer = await rawExchange(port(), 'GET /items/7 HTTP/1.1\r\nConnection: close\r\n\r\n')
    expect(parseRawAnswer(answer)).toMatchObject({ status: 200, body: '{"id":"7"}' })
  })

  test('takes a path with and without a trailing slash and never redirects', async () => {
    for (const path of ['/items/7', '/items/7/']) {
      expect(parseRawAnswer(await rawExchange(port(), http(`GET ${path}`))).status).toBe(200)
    }
  })

  test('leaves a prefix to the not-found and error handlers of its plugin', async () => {
    const missing = parseRawAnswer(await rawExchange(port(), http('GET /api/nowhere')))
    expect(missing).toMatchObject({ status: 404, body: '{"from":"api"}' })
    const broken = parseRawAnswer(await rawExchange(port(), http('GET /api/broken')))
    expect(broken).toMatchObject({ status: 418, body: '{"from":"api"}' })
  })
})
