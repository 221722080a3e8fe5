import { gzipSync } from 'node:zlib'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Source } from '@hookline/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NOON } from '@hookline/testing/records/accepted-event'
import { IngestHarness, WRITE_KEY } from './ingest-harness.ts'

const SUCCESS = { success: true }
const track = { type: 'track', userId: 'u1', event: 'Signed Up', messageId: 'm1' }
const identify = { type: 'identify', userId: 'u1', messageId: 'm2' }
const bad = { type: 'track', event: 'Signed Up', messageId: 'm3' }
const rejectedBad = (index: number) => ({
  index,
  messageId: 'm3',
  code: 'no_user_anon_id',
  message: 'The call has neither userId nor anonymousId.',
})

/** A valid call whose JSON has this many bytes. */
function sized(bytes: number): object {
  const call = { ...track, properties: { text: '' } }
  call.properties.text = 'x'.repeat(bytes - JSON.stringify(call).length)
  return call
}

/** A batch of one valid call, padded to this many bytes. */
const padded = (bytes: number) => JSON.stringify({ batch: [track] }).padEnd(bytes)
const times = (calls: number) => Array.from({ length: calls }, () => identify)

/** For tests that check only responses and newly stored events. */
let shared: IngestHarness
beforeAll(async () => {
  shared = await IngestHarness.open()
})
afterAll(() => shared[Symbol.asyncDispose]())

const addressOf = async (harness: IngestHarness, headers: Record<string, string>) => {
  await harness.post('/v1/track', track, headers)
  const [stored] = await harness.stored()
  return stored?.event.context['ip']
}

/** The fields in each payload, even if the client sent nothing. */
const SERIALISED: Readonly<Record<string, object>> = {
  identify: { traits: {} },
  track: { properties: {} },
  page: { properties: {} },
  screen: { properties: {} },
  group: { traits: {} },
}

describe('a single call', () => {
  test.each([
    ['/v1/identify', 'identify'],
    ['/v1/track', 'track'],
    ['/v1/page', 'page'],
    ['/v1/screen', 'screen'],
    ['/v1/group', 'group'],
    ['/v1/alias', 'alias'],
    ['/v1/i', 'identify'],
    ['/v1/t', 'track'],
    ['/v1/p', 'page'],
    ['/v1/s', 'screen'],
    ['/v1/g', 'group'],
    ['/v1/a/', 'alias'],
  ])('at %s is stored as %s, with the fields that the server adds', async (path, type) => {
    const harness = shared
    const call = { userId: 'u1', event: 'e', groupId: 'g', previousId: 'p', type: 'delete' }
    const response = await harness.post(path, { ...call, writeKey: 'x', _metadata: {} })
    expect(response).toMatchObject({ status: 200, body: SUCCESS })
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
    const now = new Date(harness.clock.now()).toISOString()
    expect(await harness.stored()).toEqual([
      {
        id: expect.stringMatching(/^evt_/),
        sourceId: 'src_enabled',
        warnings: [],
        event: {
          ...call,
          ...SERIALISED[type],
          type,
          context: {},
          timestamp: now,
          receivedAt: now,
          messageId: expect.stringMatching(/^[\da-f-]{36}$/),
        },
      },
    ])
  })

  test('is refused with its code if it is invalid, and nothing is stored', async () => {
    const harness = shared
    expect(await harness.post('/v1/track', bad)).toMatchObject({
      status: 400,
      body: {
        success: false,
        code: 'no_user_anon_id',
        message: 'The call has neither userId nor anonymousId.',
        error: 'no_user_anon_id: The call has neither userId nor anonymousId.',
      },
    })
    expect(await harness.stored()).toEqual([])
  })

  test('with numbers whose stored form is longer is refused by the stored size', async () => {
    const numbers = Array.from({ length: 6_000 }, () => '1e20').join(',')
    const call = `{"userId":"u1","event":"e","properties":{"numbers":[${numbers}]}}`
    expect(call.length).toBeLessThan(32_768)
    expect(await shared.post('/v1/track', call)).toMatchObject({
      status: 400,
      body: { code: 'message_too_large' },
    })
  })
})

describe('a batch', () => {
  test.each(['/v1/batch', '/v1/import', '/v1/import/', '/v1/b'])(
    'at %s is stored completely and in order, with the shared parts',
    async (path) => {
      const harness = shared
      const context = { library: { name: 'analytics-go' } }
      const envelope = { batch: [track, identify], context, sentAt: '2026-01-15T11:59:59+0000' }
      expect(await harness.post(path, envelope)).toMatchObject({ status: 200, body: SUCCESS })
      const sentAt = '2026-01-15T11:59:59.000Z'
      expect((await harness.stored()).map(({ event }) => event)).toMatchObject([
        { ...track, context, sentAt },
        { ...identify, context, sentAt },
      ])
    },
  )

  test('is stored without its invalid calls, which the response lists', async () => {
    const harness = shared
    const response = await harness.post('/v1/batch', { batch: [bad, track, 7, identify] })
    expect(response).toMatchObject({
      status: 200,
      body: {
        success: true,
        rejected: [
          rejectedBad(0),
          {
            index: 2,
            messageId: null,
            code: 'not_an_object',
            message: 'A call must be a JSON object.',
          },
        ],
      },
    })
    expect((await harness.stored()).map(({ event }) => event.messageId)).toEqual(['m1', 'm2'])
  })

  test('without a valid call is refused with the code of the first, and the response lists all', async () => {
    const harness = shared
    expect(await harness.post('/v1/batch', { batch: [bad, { ...bad, type: 'x' }] })).toMatchObject({
      status: 400,
      body: {
        success: false,
        code: 'no_user_anon_id',
        rejected: [rejectedBad(0), { index: 1, code: 'unknown_type' }],
      },
    })
  })

  test('is refused entirely for one invalid call in strict mode, and nothing is stored', async () => {
    const harness = shared
    const strict = { 'x-strict-mode': '1' }
    const unreadable = { ...track, timestamp: 'soon' }
    const response = await harness.post('/v1/batch', { batch: [track, bad] }, strict)
    expect(response).toMatchObject({
      status: 400,
      body: { success: false, code: 'no_user_anon_id', rejected: [rejectedBad(1)] },
    })
    expect(await harness.post('/v1/batch', { batch: [track, unreadable] }, strict)).toMatchObject({
      status: 400,
      body: { code: 'timestamp_invalid', rejected: [{ index: 1, messageId: 'm1' }] },
    })
    expect(await harness.stored()).toEqual([])
  })

  test('must not exceed the limits of requests and calls', async () => {
    await using harness = await IngestHarness.open()
    const codeOf = async (body: unknown, path = '/v1/batch') =>
      (await harness.post(path, body)).body['code'] ?? 'accepted'
    expect(await codeOf(sized(32_768), '/v1/track')).toBe('accepted')
    expect(await codeOf(sized(32_769), '/v1/track')).toBe('message_too_large')
    expect(await codeOf({ batch: [sized(32_768), sized(32_768)] })).toBe('accepted')
    expect(await codeOf({ batch: [sized(32_769)] })).toBe('message_too_large')
    expect(await codeOf({ batch: times(2_500) })).toBe('accepted')
    expect(await codeOf({ batch: times(2_501) })).toBe('too_many_messages')
    expect(await codeOf(padded(557_056))).toBe('accepted')
    expect(await codeOf(padded(557_057))).toBe('batch_too_large')
  })

  test('counts its context once for each of its calls', async () => {
    await using harness = await IngestHarness.open({ maxMessageBytes: '2000' })
    const send = (calls: number, context: object, call: object = identify) =>
      harness.post('/v1/batch', { batch: Array.from({ length: calls }, () => call), context })
    const kilobyte = { text: 'x'.repeat(1_000) }
    expect(await send(2_000, kilobyte)).toMatchObject({ status: 200 })
    expect(await send(2_500, kilobyte)).toMatchObject({
      status: 400,
      body: { code: 'batch_too_large' },
    })
    const properties = { text: 'x'.repeat(1_500) }
    expect(await send(1, { text: 'x'.repeat(1_500) }, { ...track, properties })).toMatchObject({
      status: 400,
      body: { code: 'message_too_large' },
    })
    // Its own context replaces the batch's.
    const own = { ...track, properties, context: { text: 'y' } }
    expect(await send(1, { text: 'x'.repeat(1_500) }, own)).toMatchObject({ status: 200 })
  })

  test('that is too large gets its response even if the client continues to send', async () => {
    const harness = shared
    expect(await harness.post('/v1/batch', 'x'.repeat(8_000_000))).toMatchObject({
      status: 400,
      body: { code: 'batch_too_large' },
    })
  })
})

describe('a body', () => {
  test.each([
    ['text/plain', {}],
    ['application/x-www-form-urlencoded', { gzip: true }],
    ['application/json; charset=utf-8', {}],
    ['multipart/form-data; boundary=x', {}],
    ['json', {}],
    [';;;', {}],
  ])(
    'is read as JSON with the content type %s',
    async (type, { gzip = false }: { gzip?: boolean }) => {
      const harness = shared
      const text = JSON.stringify(track)
      const encoding: Record<string, string> = gzip ? { 'content-encoding': 'gzip' } : {}
      const body = gzip ? gzipSync(text) : text
      expect(
        await harness.post('/v1/track', body, { 'content-type': type, ...encoding }),
      ).toMatchObject({ status: 200 })
      expect(await harness.stored()).toMatchObject([{ event: track }])
    },
  )

  test.each([
    ['', 'invalid_json'],
    ['{"type"', 'invalid_json'],
    ['[]', 'not_an_object'],
    ['null', 'not_an_object'],
    [`{"batch":${'['.repeat(200_000)}${']'.repeat(200_000)}}`, 'not_an_object'],
    [`{"batch":[{}],"context":{"a":${'['.repeat(9_000)}${']'.repeat(9_000)}}}`, 'nested_too_deep'],
  ])('that is not a batch is refused: %.20s', async (body, code) => {
    const harness = shared
    expect(await harness.post('/v1/batch', body)).toMatchObject({ status: 400, body: { code } })
  })

  test('is not stored if the client disconnects in the middle', async () => {
    await using harness = await IngestHarness.open()
    const socket = connect(harness.port, '127.0.0.1')
    const head = ['POST /v1/track HTTP/1.1', `X-Write-Key: ${WRITE_KEY}`, 'Content-Length: 500']
    const request = once(harness.server.server, 'request')
    socket.write(`${head.join('\r\n')}\r\n\r\n${JSON.stringify(track)}`)
    await request
    socket.destroy()
    const counted = 'hookline_ingest_requests_total{route="/v1/track",code="400"} 1'
    await expect.poll(() => harness.metrics.registry.metrics()).toContain(counted)
    expect(await harness.stored()).toEqual([])
  })

  test('with integers that JavaScript cannot represent is accepted and flagged', async () => {
    const harness = shared
    const exact = JSON.stringify({ ...track, timestamp: 'soon' })
    const inexact = exact.replace('{', '{"properties":{"id":9007199254740993},')
    await harness.post('/v1/batch', `{"batch":[${exact},${inexact}]}`)
    expect((await harness.stored()).map(({ warnings }) => warnings)).toEqual([
      ['timestamp_unreadable'],
      ['precision_lost', 'timestamp_unreadable'],
    ])
  })
})

describe('the source', () => {
  const disabled: Partial<Source> = {
    id: 'src_disabled',
    enabled: false,
    writeKeys: [{ key: 'wk_disabled', createdAt: NOON }],
  }

  test.each([
    ['Basic', '', { authorization: `Basic ${btoa(`${WRITE_KEY}:`)}` }, {}],
    ['Bearer', '', { authorization: `Bearer ${WRITE_KEY}` }, {}],
    ['X-Write-Key', '', { 'x-write-key': WRITE_KEY }, {}],
    ['the body', '', {}, { writeKey: WRITE_KEY }],
    ['the query', `?writeKey=${WRITE_KEY}`, {}, {}],
  ])('is authenticated by a key in %s', async (_place, query, headers, body) => {
    const harness = shared
    expect(
      await harness.send(`/v1/track${query}`, { headers, body: { ...track, ...body } }),
    ).toMatchObject({ status: 200 })
    expect(await harness.stored()).toMatchObject([{ sourceId: 'src_enabled', event: track }])
  })

  test('must be known and enabled: other calls are refused, counted and logged', async () => {
    await using harness = await IngestHarness.open()
    await harness.putSource(disabled)
    const send = (headers: Record<string, string>) =>
      harness.send('/v1/batch', { headers, body: { batch: [track], writeKey: WRITE_KEY } })
    const unknown = { status: 401, body: { success: false, code: 'unknown_write_key' } }
    expect(await send({ 'x-write-key': 'wk_unknown' })).toMatchObject(unknown)
    expect(await harness.send('/v1/track', { body: track })).toMatchObject(unknown)
    expect(await send({ 'x-write-key': 'wk_disabled' })).toMatchObject({
      status: 403,
      body: { success: false, code: 'source_disabled' },
    })
    expect(await harness.stored()).toEqual([])
    expect(harness.logLines).toMatchObject([
      { code: 'unknown_write_key', keyPrefix: 'wk_unk', requests: 1 },
      { code: 'unknown_write_key', keyPrefix: '', requests: 1 },
      { code: 'source_disabled', keyPrefix: 'wk_dis', requests: 1 },
    ])
    const counted = await harness.metrics.registry.metrics()
    expect(counted).toContain('hookline_ingest_events_total{result="unknown_write_key"} 2')
    expect(counted).toContain('hookline_ingest_requests_total{route="/v1/batch",code="403"} 1')
  })
})

describe('the context.ip of a call', () => {
  test('is the address of the connection, for calls from browsers only', async () => {
    await using harness = await IngestHarness.open()
    const forwarded = { 'x-forwarded-for': '203.0.113.9' }
    expect(await addressOf(harness, forwarded)).toBeUndefined()
    expect(await addressOf(harness, { ...forwarded, origin: 'https://a.test' })).toBe('127.0.0.1')
  })

  test('is the one reported by a trusted proxy, if it is valid', async () => {
    await using harness = await IngestHarness.open({ trustedProxies: '127.0.0.0/8' })
    const browser = { origin: 'https://a.test' }
    const from = (address: string) => addressOf(harness, { ...browser, 'x-forwarded-for': address })
    expect(await from('198.51.100.1, 203.0.113.9')).toBe('203.0.113.9')
    expect(await from('unknown')).toBe('127.0.0.1')
  })
})

describe('the log', () => {
  test('causes a 503 with Retry-After if it is overloaded, never a 200', async () => {
    await using harness = await IngestHarness.open({
      maxWaitingBytes: '1048576',
      maxBatchBytes: '4000000',
      maxMessageBytes: '1048576',
    })
    const large = { ...track, properties: { text: 'x'.repeat(700_000) } }
    const refused = await harness.post('/v1/batch', { batch: [large, large] })
    expect(refused).toMatchObject({ status: 503, body: { success: false, code: 'overloaded' } })
    expect(refused.headers['retry-after']).toBe('5')
    expect(await harness.stored()).toEqual([])
    expect(harness.logLines).toMatchObject([{ level: 50, requests: 1 }])
    expect(await harness.post('/v1/track', track)).toMatchObject({ status: 200 })
  })

  test('causes an error response if it is closed, never a 200', async () => {
    await using harness = await IngestHarness.open()
    await harness.backend[Symbol.asyncDispose]()
    const { status, body } = await harness.post('/v1/track', track)
    expect([500, 503]).toContain(status)
    expect(body).toMatchObject({ success: false, code: expect.any(String) })
    const errors = harness.logLines.filter(({ level }) => level === 50)
    expect(errors).toHaveLength(1)
  })
})

test('rejected calls are logged once a minute for each code and source, with their number', async () => {
  await using harness = await IngestHarness.open()
  const msg = 'request.rejected'
  const sourceId = 'src_enabled'
  await harness.post('/v1/track', '{"type"')
  await harness.post('/v1/batch', { batch: [track, bad, bad] })
  await harness.post('/v1/track', bad)
  expect(harness.logLines).toMatchObject([
    { level: 40, msg, code: 'invalid_json', calls: 1 },
    { level: 40, msg, code: 'no_user_anon_id', calls: 1, sourceId },
  ])
  harness.clock.advance(60_000)
  expect(harness.logLines.at(-1)).toMatchObject({ code: 'no_user_anon_id', calls: 2, sourceId })
})

test('client telemetry gets a success response, and is ignored', async () => {
  await using harness = await IngestHarness.open()
  const response = await harness.send('/v1/m', { body: '{"series"' })
  expect(response).toMatchObject({ status: 200, body: SUCCESS })
})

test('wrong methods at ingestion paths get 405 in JSON', async () => {
  await using harness = await IngestHarness.open()
  const response = await harness.send('/v1/track', { method: 'GET' })
  expect(response).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } })
  expect(response.headers['allow']).toBe('OPTIONS, POST')
  const settings = await harness.send('/v1/projects/wk_a/settings', { method: 'PUT' })
  expect(settings).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } })
  expect(settings.headers['allow']).toBe('GET, HEAD, OPTIONS')
})

test('accepted calls are counted, and the metrics name the full path', async () => {
  await using harness = await IngestHarness.open()
  await harness.post('/v1/t/', track)
  await harness.post('/v1/import', { batch: [track, bad] })
  const text = await harness.metrics.registry.metrics()
  expect(text).toContain('hookline_ingest_events_total{result="accepted"} 2')
  expect(text).toContain('hookline_ingest_events_total{result="no_user_anon_id"} 1')
  expect(text).toContain('hookline_ingest_requests_total{route="/v1/track",code="200"} 1')
  expect(text).toContain('hookline_ingest_requests_total{route="/v1/batch",code="200"} 1')
  expect(text).toContain('hookline_ingest_duration_seconds_count 2')
  expect(text).toContain('hookline_log_commit_seconds_count 2')
})
