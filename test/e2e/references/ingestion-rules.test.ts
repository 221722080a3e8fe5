import {
  CALL_EXAMPLES,
  CALL_FIELDS,
  type CallField,
  EVENT_TYPES,
  type EventType,
  INGEST_CODES,
  type IngestCodeName,
  type JsonObject,
  LIMITS,
  OTHER_CALL_FIELDS,
} from '@hookline/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exchange } from '@hookline/testing/network/http-exchange'
import { type RunningService, startService } from '@hookline/testing/service/running-service'

let service: RunningService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service[Symbol.asyncDispose]())

const FIELDS = Object.entries<CallField>(CALL_FIELDS)
const requiredBy = (type: EventType) =>
  FIELDS.filter(([, { required }]) => required?.by.includes(type)).map(([name]) => name)

/** A call with only the required fields. */
const minimalCall = (type: EventType): JsonObject => ({
  ...(type !== 'alias' && { anonymousId: 'a1' }),
  ...Object.fromEntries(requiredBy(type).map((name) => [name, 'x'])),
})

async function codeOf(path: string, body: unknown): Promise<string> {
  const { status, text } = await service.send(path, body)
  const response = JSON.parse(text) as { success: boolean; code?: IngestCodeName }
  if (response.success) return status === 200 ? 'stored' : `status ${status}`
  expect(status).toBe(INGEST_CODES[response.code!].status)
  return response.code!
}

describe.each(EVENT_TYPES)('for a call of type %s', (type) => {
  const path = `/v1/${type}`

  test('the example is accepted, and the required fields are sufficient', async () => {
    expect(await codeOf(path, CALL_EXAMPLES[type])).toBe('stored')
    expect(await codeOf(path, minimalCall(type))).toBe('stored')
    if (type !== 'alias') {
      const { anonymousId, ...others } = minimalCall(type)
      expect(await codeOf(path, { ...others, userId: anonymousId })).toBe('stored')
    }
  })

  test('each required field gets the documented code if it is absent, null or empty', async () => {
    for (const [name, { required }] of FIELDS) {
      if (!required?.by.includes(type)) continue
      for (const value of [undefined, null, '']) {
        const found = await codeOf(path, { ...minimalCall(type), [name]: value })
        expect([name, value, found]).toEqual([name, value, required.code])
      }
    }
    if (type !== 'alias') {
      const nobody = { ...minimalCall(type), anonymousId: undefined }
      expect(await codeOf(path, nobody)).toBe('no_user_anon_id')
    }
  })

  test('a field of the wrong type gets the documented code', async () => {
    for (const [name, { kind, code }] of FIELDS) {
      const wrong = { id: [true, ['x'], {}], text: [1, true, {}], object: [1, 'x', ['x']] }[kind]
      for (const value of wrong) {
        const found = await codeOf(path, { ...minimalCall(type), [name]: value })
        expect([name, value, found]).toEqual([name, value, code])
      }
    }
  })

  test('null counts as absent in optional fields, and numbers are accepted as ids', async () => {
    for (const [name, { kind }] of FIELDS) {
      if (requiredBy(type).includes(name) || name === 'anonymousId') continue
      expect([name, await codeOf(path, { ...minimalCall(type), [name]: null })]).toEqual([
        name,
        'stored',
      ])
      if (kind !== 'id') continue
      expect([name, await codeOf(path, { ...minimalCall(type), [name]: 7 })]).toEqual([
        name,
        'stored',
      ])
    }
  })
})

/** A valid track call with additional fields. */
const track = (more: object): object => ({ ...minimalCall('track'), ...more })
const deep = (levels: number): unknown => (levels === 0 ? 1 : { a: deep(levels - 1) })
const BROKEN: Readonly<Partial<Record<IngestCodeName, readonly [path: string, body: unknown]>>> = {
  invalid_json: ['/v1/track', '{"userId":'],
  number_not_finite: ['/v1/track', '{"event":"x","userId":"u1","properties":{"price":NaN}}'],
  not_an_object: ['/v1/track', [minimalCall('track')]],
  empty_batch: ['/v1/batch', { batch: [] }],
  batch_too_large: ['/v1/track', ' '.repeat(LIMITS.requestBytes + 1)],
  message_too_large: ['/v1/track', track({ properties: { a: 'x'.repeat(LIMITS.messageBytes) } })],
  too_many_messages: ['/v1/batch', { batch: Array(LIMITS.batchMessages + 1).fill(1) }],
  nested_too_deep: ['/v1/track', track({ properties: deep(LIMITS.nestingLevels) })],
  unknown_type: ['/v1/batch', { batch: [{ ...minimalCall('track'), type: 'delete' }] }],
  id_not_exact: ['/v1/track', '{"event":"x","userId":9007199254740993}'],
  id_not_unicode: ['/v1/track', String.raw`{"event":"x","userId":"\ud83d"}`],
  id_control_character: ['/v1/track', String.raw`{"event":"x","userId":"u\t"}`],
  message_id_too_long: [
    '/v1/track',
    track({ messageId: 'x'.repeat(LIMITS.messageIdCharacters + 1) }),
  ],
  not_found: ['/v1/tracks', minimalCall('track')],
}

/** Codes covered by other tests: from the table of fields, or with several requests. */
const COVERED_BY_OTHER_TESTS: readonly IngestCodeName[] = [
  ...FIELDS.flatMap(([, { code, required }]) => [code, ...(required ? [required.code] : [])]),
  'no_user_anon_id',
  'timestamp_invalid',
  'unknown_write_key',
  'source_disabled',
  'rate_limited',
  'method_not_allowed',
  'headers_too_large',
]

/** Codes that need a broken disk, a slow client, a bug, a cluster, another host name, or a request that is not HTTP. */
const NOT_CAUSED_BY_A_CALL = [
  'overloaded',
  'request_timeout',
  'internal_error',
  'bad_request',
  'wrong_host',
  'wrong_node',
]

describe('a request that breaks one rule on the page', () => {
  test.for(Object.entries(BROKEN))('gets %s', async ([code, [path, body]]) => {
    expect(await codeOf(path, body)).toBe(code)
  })

  test('gets timestamp_invalid in strict mode, and is otherwise stored', async () => {
    const call = track({ timestamp: 'yesterday', messageId: 'unreadable' })
    const authorization = `Bearer ${service.source.writeKey}`
    const strict = { Authorization: authorization, 'X-Strict-Mode': '1' }
    const { text } = await exchange(`${service.url}/v1/track`, {
      headers: strict,
      body: JSON.stringify(call),
    })
    expect(JSON.parse(text)).toMatchObject({ code: 'timestamp_invalid' })
    expect(await codeOf('/v1/track', call)).toBe('stored')
  })

  test('gets the codes for sources: unknown, disabled, over the rate limit', async () => {
    const source = await service.createSource()
    const change = (body: object) => service.api.call('PATCH', `sources/${source.id}`, body)
    const send = () => service.send('/v1/track', minimalCall('track'), source)
    await change({ rateLimit: 1 })
    const responses = [await send(), await send(), await send()]
    const limited = responses.find(({ status }) => status === 429)!
    expect(JSON.parse(limited.text)).toMatchObject({ code: 'rate_limited' })
    expect(limited.headers['retry-after']).toMatch(/^\d+$/)
    await change({ enabled: false })
    expect(JSON.parse((await send()).text)).toMatchObject({ code: 'source_disabled' })
    const unknown = await service.send('/v1/track', minimalCall('track'), {
      id: '',
      writeKey: 'wk_x',
    })
    expect(JSON.parse(unknown.text)).toMatchObject({ code: 'unknown_write_key' })
  })

  test('gets method_not_allowed and headers_too_large', async () => {
    const url = `${service.url}/v1/track`
    const wrong = await exchange(url, { method: 'GET' })
    expect(JSON.parse(wrong.text)).toMatchObject({ code: 'method_not_allowed' })
    const large = await exchange(url, { headers: { 'X-Long': 'x'.repeat(16_384) } })
    expect(JSON.parse(large.text)).toMatchObject({ code: 'headers_too_large' })
  })
})

test('every documented code has a test case', () => {
  const tried = new Set<string>([
    ...Object.keys(BROKEN),
    ...COVERED_BY_OTHER_TESTS,
    ...NOT_CAUSED_BY_A_CALL,
  ])
  expect(Object.keys(INGEST_CODES).filter((code) => !tried.has(code))).toEqual([])
})

test('the trace shows unknown fields, but not the fields that are never stored', async () => {
  const names = Object.keys(OTHER_CALL_FIELDS)
  const call = { ...minimalCall('track'), messageId: 'other-fields', colour: 'red', _metadata: {} }
  const receivedAt = '2001-01-01T00:00:00.000Z'
  const writeKey = service.source.writeKey
  await service.send('/v1/track', { ...call, receivedAt, writeKey, type: 'page' })
  const { event } = await service.endOf('other-fields')
  expect(event).toMatchObject({ type: 'track', colour: 'red' })
  expect(event).not.toMatchObject({ receivedAt })
  expect(Object.keys(event).filter((name) => ['writeKey', '_metadata'].includes(name))).toEqual([])
  expect(names).toEqual(expect.arrayContaining(['writeKey', '_metadata', 'receivedAt', 'type']))
})
