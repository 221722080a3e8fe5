import { INGEST_CODES } from '@hookline/protocol'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { NOON } from '@hookline/testing/records/accepted-event'
import { parseRawResponse, type RawResponse } from '@hookline/testing/network/raw-exchange'
import { IngestHarness, WRITE_KEY } from '../ingest-harness.ts'

const CALL = { type: 'identify', userId: 'u1', messageId: 'm1' }
const MAX_PARTIAL_BYTES = 1024 * 1024
const LARGE = 400 * 1024
const KEY = `X-Write-Key: ${WRITE_KEY}`

let harness: IngestHarness
let sockets: Socket[]

beforeEach(async () => {
  sockets = []
  harness = await IngestHarness.open({
    maxBufferedBodyBytes: String(MAX_PARTIAL_BYTES),
    requestTimeoutMs: '2000',
  })
})
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  await harness[Symbol.asyncDispose]()
})

/** Sends a request without the end of its body, and leaves the connection open. */
function sendPart(
  { path = '/v1/batch', headers }: { readonly path?: string; readonly headers: readonly string[] },
  part: string | Buffer = '',
): Socket {
  const socket = connect(harness.port, '127.0.0.1')
  socket.on('error', () => undefined)
  sockets.push(socket)
  socket.write([`POST ${path} HTTP/1.1`, 'Host: test', ...headers, '', ''].join('\r\n'))
  socket.write(part)
  return socket
}

/** A request whose body lacks its last byte. */
const unfinished = (...headers: readonly string[]): Socket =>
  sendPart({ headers: [`Content-Length: ${LARGE + 1}`, ...headers] }, Buffer.alloc(LARGE, ' '))

async function responseOf(socket: Socket): Promise<RawResponse> {
  const [bytes] = (await once(socket, 'data')) as [Buffer]
  return parseRawResponse(bytes.toString())
}

const partialBytes = async (): Promise<number> => {
  const text = await harness.metrics.scrape()
  return Number(/^hookline_partial_body_bytes (\d+)$/m.exec(text)?.[1])
}

describe('a request is refused before its body arrives', () => {
  test.each([
    ['a header has an unknown key', { key: 'wk_no', code: 'unknown_write_key' }],
    ['the query has an unknown key', { path: '/v1/b?writeKey=wk_no', code: 'unknown_write_key' }],
    ['the source is disabled', { path: '/v1/b?writeKey=wk_off', code: 'source_disabled' }],
  ] as const)('if %s', async (_reason, { code, ...sent }) => {
    const writeKeys = [{ key: 'wk_off', createdAt: NOON }]
    await harness.putSource({ id: 'src_off', enabled: false, writeKeys })
    const { path = '/v1/batch', key } = { key: '', path: undefined, ...sent }
    const headers = ['Content-Length: 1000', `X-Write-Key: ${key}`]
    const response = await responseOf(sendPart({ path, headers }, '{'))
    expect(response.status).toBe(INGEST_CODES[code].status)
    expect(JSON.parse(response.body)).toMatchObject({ success: false, code })
    expect(await partialBytes()).toBe(0)
  })

  test('if its Content-Length exceeds the limit of a request', async () => {
    const response = await responseOf(sendPart({ headers: [KEY, 'Content-Length: 557057'] }))
    expect(response.status).toBe(400)
    expect(JSON.parse(response.body)).toMatchObject({ success: false, code: 'batch_too_large' })
  })

  test('and its connection is closed after 16 MiB more, or after requestTimeoutMs', async () => {
    const refused = ['X-Write-Key: wk_no', `Content-Length: ${2 ** 40}`]
    const silent = sendPart({ headers: refused }).resume()
    const flooding = sendPart({ headers: refused }).resume()
    const closed = new Promise((resolve) => flooding.once('close', resolve))
    const flood = (): void => {
      while (flooding.write(Buffer.alloc(1024 * 1024)));
    }
    flooding.on('drain', flood)
    flood()
    await closed
    expect(flooding.bytesWritten).toBeGreaterThan(16 * 1024 * 1024)
    await once(silent, 'close')
  })
})

describe('a large body without a key in the headers or the query', () => {
  const filler = JSON.stringify({ ...CALL, traits: { text: 'x'.repeat(20_000) } })

  test('is stored if it contains a known key, at any position', async () => {
    const atEnd = `{"batch":[${filler}],"writeKey": "${WRITE_KEY}"}`
    const inCall = `{"batch":[{"writeKey":"${WRITE_KEY}",${filler.slice(1).replace('m1', 'm2')}]}`
    expect(await harness.send('/v1/batch', { body: atEnd })).toMatchObject({ status: 200 })
    expect(await harness.send('/v1/batch', { body: inCall })).toMatchObject({ status: 200 })
    expect(await harness.stored()).toHaveLength(2)
  })

  test('is not parsed if it contains no known key, and the refusal is logged', async () => {
    const notJson = `{"writeKey":"wk_no",${filler}`
    const refused = { status: 401, body: { code: 'unknown_write_key' } }
    expect(await harness.send('/v1/batch', { body: notJson })).toMatchObject(refused)
    expect(harness.logLines).toMatchObject([{ msg: 'write_key.rejected', keyPrefix: '' }])
  })
})

describe('partially received bodies', () => {
  test('share maxBufferedBodyBytes: a body that exceeds it gets 503, and a call in one packet gets 200', async () => {
    unfinished()
    unfinished(KEY)
    await expect.poll(partialBytes).toBe(2 * LARGE)
    const response = await responseOf(unfinished(KEY))
    expect(response.status).toBe(503)
    expect(response.headers).toContain('retry-after: 5')
    expect(JSON.parse(response.body)).toMatchObject({ success: false, code: 'overloaded' })
    expect(await partialBytes()).toBeLessThan(MAX_PARTIAL_BYTES)
    expect(await harness.post('/v1/identify', CALL)).toMatchObject({ status: 200 })
    expect(await harness.stored()).toHaveLength(1)
    expect(harness.logLines).toMatchObject([
      { msg: 'ingest.body_memory_exhausted', level: 50, requests: 1 },
    ])
  })

  test('release their share however their requests end', async () => {
    const reset = unfinished(KEY)
    const aborted = unfinished(KEY)
    await expect.poll(partialBytes).toBe(2 * LARGE)
    reset.resetAndDestroy()
    aborted.destroy()
    await expect.poll(partialBytes).toBe(0)
    const batch = JSON.stringify({ batch: [CALL] }).padEnd(LARGE)
    const headers = [KEY, `Content-Length: ${LARGE}`]
    const complete = sendPart({ headers }, batch.slice(0, -1))
    const invalid = sendPart({ headers }, 'x'.repeat(LARGE - 1))
    await expect.poll(partialBytes).toBe(2 * LARGE)
    complete.write(batch.slice(-1))
    invalid.write('x')
    expect((await responseOf(complete)).status).toBe(200)
    expect((await responseOf(invalid)).status).toBe(400)
    expect(await partialBytes()).toBe(0)
  })

  test('that complete simultaneously keep their share while they wait, and get 503 if the budget is full', async () => {
    const batch = JSON.stringify({ batch: [CALL] }).padEnd(LARGE)
    const headers = [KEY, `Content-Length: ${LARGE}`]
    const senders = Array.from({ length: 24 }, () => sendPart({ headers }, batch))
    const responses = await Promise.all(senders.map(responseOf))
    const statuses = new Set(responses.map(({ status }) => status))
    expect(statuses.difference(new Set([200, 503])).size).toBe(0)
    expect(statuses).toContain(200)
    await expect.poll(partialBytes).toBe(0)
    expect(await harness.post('/v1/identify', CALL)).toMatchObject({ status: 200 })
  })

  test('time out after requestTimeoutMs, chunked or not', async () => {
    const whole = unfinished(KEY)
    const chunked = sendPart({ headers: [KEY, 'Transfer-Encoding: chunked'] }, '5\r\nhello\r\n')
    const closed = Promise.all([whole, chunked].map((socket) => once(socket, 'close')))
    await expect.poll(partialBytes).toBeGreaterThan(LARGE)
    const responses = await Promise.all([whole, chunked].map(responseOf))
    expect(responses.map(({ status }) => status)).toEqual([408, 408])
    await closed
    await expect.poll(partialBytes).toBe(0)
  })
})
