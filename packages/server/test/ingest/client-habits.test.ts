import { INGEST_CODES } from '@hookline/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { IngestHarness, WRITE_KEY } from './ingest-harness.ts'

// Quirks of client libraries, in their exact bytes.

let harness: IngestHarness
beforeAll(async () => {
  harness = await IngestHarness.open()
})
afterAll(() => harness[Symbol.asyncDispose]())

const SUCCESS = { success: true }

describe('an empty PHP array instead of an empty object', () => {
  test.each(['integrations', 'context', 'traits', 'properties'])(
    'is read as {}: %s',
    async (name) => {
      const type = name === 'traits' ? 'identify' : 'screen'
      const body = `{"batch":[{"userId":"u1","${name}":[],"type":"${type}","timestamp":"2026-11-21T22:35:33+00:00","messageId":"php-${name}"}],"sentAt":"2026-11-21T22:35:33+00:00"}`
      expect((await harness.post('/v1/batch', body)).body).toEqual(SUCCESS)
      const [stored] = await harness.stored()
      expect(stored?.event).toMatchObject({ [name]: {} })
      expect(stored?.event[name as 'context']).not.toBeInstanceOf(Array)
    },
  )

  test('is read as {} if it is shared by a batch', async () => {
    const body = '{"context":[],"integrations":[],"batch":[{"type":"page","userId":"u1"}]}'
    expect((await harness.post('/v1/batch', body)).body).toEqual(SUCCESS)
    expect(await harness.stored()).toHaveLength(1)
  })

  test('with an element is still refused with a specific code', async () => {
    const body = '{"batch":[{"type":"page","userId":"u1","properties":["a"]}]}'
    const { status, body: answer } = await harness.post('/v1/batch', body)
    expect([status, answer['code']]).toEqual([400, 'properties_not_object'])
  })
})

test('calls of nearly 512 KiB in total are accepted with the envelope of a Rust client', async () => {
  const call = (bytes: number): string => {
    const [start, end] = ['{"type":"track","userId":"u1","event":"e","properties":{"text":"', '"}}']
    return start + 'x'.repeat(bytes - start.length - end.length) + end
  }
  const calls = Array.from({ length: 32 }, () => call(16 * 1024 - 1))
  const batch = calls.join()
  expect(batch.length).toBe(524_288 - 1)
  const body = `{"batch":[${batch}],"context":{"library":{"name":"analytics-rust","version":"0.2.1"}},"integrations":{}}`
  expect((await harness.post('/v1/batch', body)).body).toEqual(SUCCESS)
  expect(await harness.stored()).toHaveLength(32)
})

describe('the traits of a user in the context, as RudderStack sends them', () => {
  test('are used for an identify call without traits', async () => {
    const call =
      '{"context":{"library":{"name":"rudderanalytics-ruby","version":"3.2.1"},"traits":{"plan":"free"}},"integrations":{"All":true},"timestamp":"2026-11-21T22:58:32.931Z","sentAt":"2026-11-21T22:58:32.931Z","messageId":"3f95fb30","channel":"server","anonymousId":"anon-1","type":"identify"}'
    expect((await harness.post('/v1/batch', `{"batch":[${call}]}`)).body).toEqual(SUCCESS)
    const [stored] = await harness.stored()
    expect(stored?.event.traits).toEqual({ plan: 'free' })
    expect(stored?.event.context['traits']).toEqual({ plan: 'free' })
  })

  test('neither replace the traits of a call nor apply to other calls', async () => {
    const context = '"context":{"traits":{"plan":"free"}}'
    const identify = `{"type":"identify","userId":"u1","traits":{"plan":"paid"},${context}}`
    const track = `{"type":"track","event":"e","userId":"u1",${context}}`
    await harness.post('/v1/batch', `{"batch":[${identify},${track}]}`)
    const [first, second] = await harness.stored()
    expect(first?.event.traits).toEqual({ plan: 'paid' })
    expect(second?.event.traits).toBeUndefined()
  })
})

test('the empty batch that Go 2.0.0 sends when it closes is not an error', async () => {
  const body =
    '{"context":{"library":{"name":"analytics-go","version":"2.0.0"}},"batch":null,"messageId":"34f00903-5de5-41b8-8024-edd304dcc101","sentAt":"2026-11-21T22:16:44+0000"}'
  const { status, body: answer } = await harness.post('/v1/batch', body)
  expect([status, answer]).toEqual([200, SUCCESS])
  expect(await harness.stored()).toEqual([])
})

describe('NaN and Infinity from Python', () => {
  const good =
    '{"type": "track", "userId": "u1", "event": "NaN, \\"Infinity\\" and -Infinity", "messageId": "py-good"}'
  const bad = (value: string, id: string) =>
    `{"type": "track", "userId": "u1", "event": "e", "properties": {"price": ${value}}, "messageId": "${id}"}`

  test('reject only their own call, which the response names', async () => {
    const calls = [bad('NaN', 'py-nan'), good, bad('-Infinity', 'py-inf'), bad('1e999', 'py-large')]
    const { status, body } = await harness.post('/v1/batch', `{"batch": [${calls.join(', ')}]}`)
    const rejected = [
      [0, 'py-nan'],
      [2, 'py-inf'],
      [3, 'py-large'],
    ].map(([index, messageId]) => ({
      index,
      messageId,
      code: 'number_not_finite',
      message: INGEST_CODES.number_not_finite.message,
    }))
    expect([status, body]).toEqual([200, { success: true, rejected }])
    const stored = await harness.stored()
    expect(stored.map(({ event }) => event.event)).toEqual(['NaN, "Infinity" and -Infinity'])
  })

  test('in shared parts reject all calls', async () => {
    const { status, body } = await harness.post(
      '/v1/batch',
      `{"context": {"n": NaN}, "batch": [${good}]}`,
    )
    expect([status, body['code']]).toEqual([400, 'number_not_finite'])
  })

  test('reject a single call with a specific code', async () => {
    const { status, body } = await harness.post('/v1/track', bad('Infinity', 'py-single'))
    expect([status, body['code']]).toEqual([400, 'number_not_finite'])
  })

  test.each(['{"batch": NaN', 'NaNNaN', '"NaN', '{"a": nan, "b": "NaN"}', '{"NaN: 1}'])(
    'do not make invalid JSON valid: %s',
    async (text) => {
      const { status, body } = await harness.post('/v1/batch', text)
      expect([status, body['code']]).toEqual([400, 'invalid_json'])
    },
  )
})

describe('the paths of other vendors', () => {
  test.each(['/api/s/track', '/api/s/s2s/track'])(
    'accept the calls from Jitsu: %s',
    async (path) => {
      const body = '{"type":"track","userId":"u1","event":"Signed Up","messageId":"jitsu"}'
      const headers = { 'x-write-key': WRITE_KEY, 'content-type': 'application/json' }
      const response = await harness.send(path, { headers, body: body.replace('jitsu', path) })
      expect([response.status, response.body]).toEqual([200, SUCCESS])
      expect(await harness.stored()).toHaveLength(1)
    },
  )

  test("accept the batch from RudderStack's beacon", async () => {
    const path = `/beacon/v1/batch?writeKey=${WRITE_KEY}`
    const body = '{"batch":[{"type":"page","anonymousId":"a1","messageId":"beacon"}]}'
    const headers = { 'content-type': 'text/plain', origin: 'https://shop.example' }
    const response = await harness.send(path, { headers, body })
    expect([response.status, response.body]).toEqual([200, SUCCESS])
    expect(response.headers['access-control-allow-origin']).toBe('https://shop.example')
    expect(await harness.stored()).toHaveLength(1)
  })
})
