import fc from 'fast-check'
import { connect } from 'node:net'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { firstResponse, type RawResponse } from '@hookline/testing/network/raw-exchange'
import { IngestHarness, WRITE_KEY } from './ingest-harness.ts'

/** Multiplies the number of generated cases in `npm test`. */
const CASES = Number(process.env['HOOKLINE_TEST_CASES'] ?? 1)

let harness: IngestHarness

beforeAll(async () => {
  // Long enough for complete requests on a busy machine.
  harness = await IngestHarness.open({ requestTimeoutMs: '2000' })
})
afterAll(() => harness[Symbol.asyncDispose]())

// The service must still work after each test.
afterEach(async () => {
  const call = { userId: 'u1', event: 'Still Here' }
  expect(await harness.post('/v1/track', call)).toMatchObject({ status: 200 })
  expect((await harness.stored()).at(-1)).toMatchObject({ event: call })
})

/** Reads a response, which must be a JSON object with `success`. */
function readResponse({ status, headers, body }: RawResponse): Record<string, unknown> {
  expect(headers).toMatch(/^content-type: application\/json/m)
  const response: unknown = JSON.parse(Buffer.from(body, 'latin1').toString())
  const failed = { success: false, code: expect.any(String), message: expect.any(String) }
  expect(response).toMatchObject(status === 200 ? { success: true } : failed)
  expect([200, 400, 401, 403, 404, 405, 408, 429, 431]).toContain(status)
  return response as Record<string, unknown>
}

function requestBytes(head: readonly string[], body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), body])
}

const KEYS = ['type', 'userId', 'anonymousId', 'event', 'messageId', 'timestamp', 'properties']
const OBJECTS = ['context', 'integrations', 'traits', '__proto__', 'constructor', 'toJSON']
const valid = fc.record({ type: fc.constant('identify'), userId: fc.string({ minLength: 1 }) })
const strange = fc.dictionary(fc.constantFrom(...KEYS, ...OBJECTS), fc.jsonValue())
const call = fc.oneof(valid, strange, fc.jsonValue())
const batch = fc.oneof(
  fc.record({ batch: fc.array(call, { maxLength: 6 }), sentAt: fc.jsonValue() }),
  fc.record({ batch: fc.array(valid, { maxLength: 6 }), context: fc.jsonValue() }),
  fc.jsonValue(),
)
const body = fc.oneof(
  { weight: 4, arbitrary: batch.map((value) => Buffer.from(JSON.stringify(value))) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)) },
)
const ENCODERS: Record<string, (bytes: Buffer) => Buffer> = {
  identity: (bytes) => bytes,
  gzip: (bytes) => gzipSync(bytes),
  deflate: (bytes) => deflateSync(bytes),
  br: (bytes) => brotliCompressSync(bytes),
  'x-unknown': (bytes) => deflateRawSync(bytes),
}
const encoding = fc.constantFrom(...Object.keys(ENCODERS))
const headerValue = fc
  .string({ unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)) })
  .map((value) => value.trim())

test('for any batch, the response is JSON, and the calls are stored as it reports', async () => {
  const request = fc.record({
    body,
    encodings: fc.tuple(encoding, encoding),
    isTruthful: fc.boolean(),
    isStrict: fc.boolean(),
    contentType: headerValue,
    origin: headerValue,
  })
  await fc.assert(
    fc.asyncProperty(request, async ({ encodings, isTruthful, isStrict, ...rest }) => {
      const [actual, claimed] = encodings
      const bytes = ENCODERS[actual]!(rest.body)
      const head = [
        'POST /v1/batch HTTP/1.1',
        'Host: test',
        `X-Write-Key: ${WRITE_KEY}`,
        `Content-Encoding: ${isTruthful ? actual : claimed}`,
        `Content-Type: ${rest.contentType}`,
        `Origin: ${rest.origin}`,
        `Content-Length: ${bytes.length}`,
        ...(isStrict ? ['X-Strict-Mode: 1'] : []),
      ]
      const received = await firstResponse(harness.port, requestBytes(head, bytes))
      const stored = await harness.stored()
      if (received === undefined) throw new Error('closed without a response')
      const { success, rejected = [] } = readResponse(received)
      if (isStrict && success === true) expect(rejected).toEqual([])
      if (success === false) {
        expect(stored).toEqual([])
        return
      }
      const { batch: calls } = JSON.parse(rest.body.toString()) as { batch: unknown[] }
      expect(stored).toHaveLength(calls.length - (rejected as unknown[]).length)
    }),
    { numRuns: 50 * CASES },
  )
})

test('for any bytes, the response is JSON, or the connection is closed', async () => {
  const method = fc.constantFrom('POST', 'GET', 'OPTIONS', 'PUT', 'CONNECT', 'PRI', 'post', '')
  const path = fc.oneof(
    fc.constantFrom('/v1/track', '/v1/b', '/v1/m', '*', '//', '/v1/projects/%/settings'),
    fc.webUrl(),
    headerValue,
  )
  const names = [
    'Authorization',
    'Content-Length',
    'Transfer-Encoding',
    'Expect',
    'Upgrade',
    'Host',
  ]
  const name = fc.oneof(fc.constantFrom(...names, 'Connection', 'Access-Control-Request-Headers'))
  const value = fc.oneof(fc.constantFrom('5', 'chunked', '100-continue', WRITE_KEY), headerValue)
  const header = fc.tuple(name, value).map((pair) => pair.join(': '))
  const http = fc
    .tuple(method, path, fc.array(header, { maxLength: 5 }), body)
    .map(([verb, url, headers, sent]) =>
      requestBytes([`${verb} ${url} HTTP/1.1`, ...headers], sent),
    )
  const bytes = fc.oneof(
    { weight: 5, arbitrary: http },
    { weight: 1, arbitrary: fc.uint8Array({ minLength: 1 }).map((any) => Buffer.from(any)) },
  )
  await fc.assert(
    fc.asyncProperty(fc.array(bytes, { minLength: 1, maxLength: 40 }), async (exchanges) => {
      const responses = await Promise.all(
        exchanges.map((sent) => firstResponse(harness.port, sent)),
      )
      for (const response of responses) if (response) readResponse(response)
    }),
    { numRuns: 3 * CASES },
  )
  await harness.stored()
})

test('compression bombs are refused by their decompressed size, in every encoding', async () => {
  const zeros = Buffer.alloc(32 * 1024 * 1024)
  for (const name of ['gzip', 'deflate', 'br']) {
    const bytes = ENCODERS[name]!(zeros)
    const head = ['POST /v1/b HTTP/1.1', `Content-Encoding: ${name}`, `X-Write-Key: ${WRITE_KEY}`]
    const sent = requestBytes([...head, `Content-Length: ${bytes.length}`], bytes)
    const response = await firstResponse(harness.port, sent)
    expect(response && readResponse(response)).toMatchObject({ code: 'batch_too_large' })
  }
})

test('header lines of 1 MiB are refused', async () => {
  for (const name of ['Authorization', 'X-Write-Key', 'Content-Encoding', 'Origin']) {
    const head = ['POST /v1/b HTTP/1.1', `${name}: ${'x'.repeat(1024 * 1024)}`]
    const response = await firstResponse(harness.port, requestBytes(head, Buffer.alloc(0)))
    expect(response && readResponse(response)).toMatchObject({ code: 'headers_too_large' })
  }
})

test('bodies that do not arrive in time are refused, and no part of them is stored', async () => {
  const text = JSON.stringify({ batch: [{ type: 'identify', userId: 'u1' }] })
  const head = ['POST /v1/batch HTTP/1.1', `X-Write-Key: ${WRITE_KEY}`, 'Host: test']
  const slow = requestBytes([...head, `Content-Length: ${text.length + 1}`], Buffer.from(text))
  const chunk = `${text.length.toString(16)}\r\n${text}\r\n`
  const chunked = requestBytes([...head, 'Transfer-Encoding: chunked'], Buffer.from(chunk))
  const responses = await Promise.all(
    [slow, chunked].map((sent) => firstResponse(harness.port, sent)),
  )
  for (const response of responses) {
    expect(response && readResponse(response)).toMatchObject({ code: 'request_timeout' })
  }
  expect(await harness.stored()).toEqual([])
})

test('nothing is stored for a client that disconnects in the middle of a body', async () => {
  const text = JSON.stringify({ batch: [{ type: 'identify', userId: 'u1' }] })
  const head = ['POST /v1/batch HTTP/1.1', `X-Write-Key: ${WRITE_KEY}`, 'Host: test']
  const bytes = requestBytes([...head, `Content-Length: ${text.length}`], Buffer.from(text))
  const lengths = Array.from({ length: 40 }, (_, index) => Math.ceil((bytes.length * index) / 41))
  await Promise.all(
    lengths.map(
      (length) =>
        new Promise<void>((resolve) => {
          const socket = connect(harness.port, '127.0.0.1', () => {
            socket.write(bytes.subarray(0, length + 1), () => socket.resetAndDestroy())
          })
          socket.on('close', () => resolve()).on('error', () => undefined)
        }),
    ),
  )
  expect(await harness.stored()).toEqual([])
})
