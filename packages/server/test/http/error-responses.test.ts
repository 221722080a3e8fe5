import { INGEST_CODES, type IngestCodeName } from '@hookline/protocol'
import type { FastifyInstance } from 'fastify'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { parseConfig } from '../../src/config.ts'
import { createHttpServer } from '../../src/http/server.ts'
import {
  firstResponse,
  parseRawResponse,
  rawExchange,
} from '@hookline/testing/network/raw-exchange'

let server: FastifyInstance
let logged: string[]
const port = () => (server.server.address() as AddressInfo).port

beforeEach(async () => {
  logged = []
  const logger = pino({}, { write: (line) => logged.push(line) })
  // Long enough for complete requests on a busy machine.
  const config = parseConfig({}, { requestTimeoutMs: '1000' })
  server = createHttpServer({ config, logger })
  server.post('/calls', () => ({ accepted: true }))
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

/** Sends bytes, and expects only the error response for `code`. */
async function expectError(code: IngestCodeName, ...parts: readonly (string | Buffer)[]) {
  const response = parseRawResponse(await rawExchange(port(), ...parts))
  const { status, message } = INGEST_CODES[code]
  expect(response.status).toBe(status)
  expect(response.headers).toContain('content-type: application/json')
  expect(JSON.parse(response.body)).toEqual({
    success: false,
    code,
    message,
    error: `${code}: ${message}`,
  })
  return response
}

/** Sends a request without its body, and expects 404. A server that waits for the body responds with 408. */
async function expectNotFoundBeforeBody(path: string, headers: readonly string[]): Promise<void> {
  const response = await firstResponse(port(), http(`POST ${path}`, ...headers))
  expect(response?.status).toBe(404)
}

const http = (line: string, ...headers: readonly string[]) =>
  `${[`${line} HTTP/1.1`, 'Host: test', 'Connection: close', ...headers].join('\r\n')}\r\n\r\n`

describe('the HTTP server', () => {
  test('responds with 404 to a path that does not exist', async () => {
    await expectError('not_found', http('GET /nowhere'))
  })

  test('responds with 404 to an unknown path even if the body cannot be read', async () => {
    const body = '{"broken'
    const headers = ['Content-Type: application/json', `Content-Length: ${body.length}`]
    await expectError('not_found', http('POST /nowhere', ...headers), body)
    await expectError('not_found', http('POST /nowhere', 'Content-Type: ;;', 'Content-Length: 0'))
  })

  test('responds with 404 to an unknown path before the body arrives', async () => {
    const headers = ['Content-Type: application/json', 'Content-Length: 100000']
    await expectNotFoundBeforeBody('/nowhere', headers)
    await expectNotFoundBeforeBody('/api/nowhere', headers)
    await expectNotFoundBeforeBody('/nowhere', [
      'Content-Type: application/json',
      'Transfer-Encoding: chunked',
    ])
  })

  test('responds with 405 and Allow if the path has other methods', async () => {
    expect((await expectError('method_not_allowed', http('GET /calls'))).headers).toMatch(
      /^allow: post$/m,
    )
    const { headers } = await expectError('method_not_allowed', http('DELETE /items/1/?a=b'))
    expect(headers).toMatch(/^allow: get, head$/m)
    await expectError('method_not_allowed', http('PROPFIND /calls'))
  })

  test('responds with 405 to CONNECT', async () => {
    await expectError('method_not_allowed', http('CONNECT example.com:443'))
  })

  test('responds with 400 to an invalid URL', async () => {
    await expectError('bad_request', http('GET /items/%E0%A4%A'))
  })

  test('passes a path parameter of any length to its route', async () => {
    const id = 'x'.repeat(10_000)
    const response = parseRawResponse(await rawExchange(port(), http(`GET /items/${id}`)))
    expect([response.status, JSON.parse(response.body)]).toEqual([200, { id }])
  })

  test('responds with 400 to bytes that are not HTTP', async () => {
    await expectError('bad_request', 'this is not HTTP\r\n\r\n')
    await expectError('bad_request', Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00]))
  })

  test('responds with 400 to an invalid body', async () => {
    const chunked = ['Content-Type: application/json', 'Transfer-Encoding: chunked']
    await expectError('bad_request', http('POST /calls', ...chunked), 'zz\r\n')
    // Without a content type, the framework responds before the body, and must not respond again.
    await expectError('bad_request', http('POST /calls', 'Transfer-Encoding: chunked'), 'zz\r\n')
  })

  test('responds with 400 to an unsupported Expect header', async () => {
    await expectError('bad_request', http('GET /items/1', 'Expect: miracles'))
  })

  test('responds with 431 to headers that are too large, however large', async () => {
    await expectError('headers_too_large', http('GET /items/1', `X-Large: ${'x'.repeat(20_000)}`))
    await expectError('headers_too_large', http('GET /', `X-Large: ${'x'.repeat(1024 * 1024)}`))
  })

  test('responds with 408 to a request that does not arrive in time', async () => {
    await expectError('request_timeout', 'GET / HTTP/1.1\r\nHost: te')
  })

  test('responds with 500 to an unexpected error, and logs it with the request id of the response', async () => {
    const { headers, body } = await expectError('internal_error', http('GET /broken'))
    expect(body).not.toContain('secret')
    const [, requestId] = /^x-request-id: (\S+)$/m.exec(headers) ?? []
    expect(logged.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { level: 50, requestId, msg: 'request.failed', err: { message: 'the secret reason' } },
    ])
  })

  test('logs rejected requests once a minute per code, with the path but without its query', async () => {
    for (let requests = 0; requests < 5; requests++) {
      await expectError('not_found', http('POST /v2/track?writeKey=wk_1'))
    }
    await expectError('bad_request', 'this is not HTTP\r\n\r\n')
    const msg = 'request.rejected'
    expect(logged.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { level: 40, msg, code: 'not_found', calls: 1, path: '/v2/track' },
      { level: 40, msg, code: 'bad_request', calls: 1 },
    ])
    expect(logged.join('')).not.toContain('wk_1')
  })

  test('logs the same error once in 10 s, however often it occurs', async () => {
    for (let requests = 0; requests < 5; requests++) {
      await expectError('internal_error', http('GET /broken'))
    }
    expect(logged.map((line) => JSON.parse(line) as unknown)).toMatchObject([{ requests: 1 }])
  })

  test('accepts a request without Host, as sent by HTTP/1.0 clients', async () => {
    const response = await rawExchange(port(), 'GET /items/7 HTTP/1.1\r\nConnection: close\r\n\r\n')
    expect(parseRawResponse(response)).toMatchObject({ status: 200, body: '{"id":"7"}' })
  })

  test('accepts a path with or without a trailing slash, and never redirects', async () => {
    for (const path of ['/items/7', '/items/7/']) {
      expect(parseRawResponse(await rawExchange(port(), http(`GET ${path}`))).status).toBe(200)
    }
  })

  test("uses a plugin's not-found and error handlers below its prefix", async () => {
    const missing = parseRawResponse(await rawExchange(port(), http('GET /api/nowhere')))
    expect(missing).toMatchObject({ status: 404, body: '{"from":"api"}' })
    const broken = parseRawResponse(await rawExchange(port(), http('GET /api/broken')))
    expect(broken).toMatchObject({ status: 418, body: '{"from":"api"}' })
  })
})
