import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openReceiver } from '../../packages/server/test/harness/receiver.ts'
import { exchange } from '../harness/http-exchange.ts'
import { OpenapiClient } from '../harness/openapi-client.ts'
import { type RunningService, startService } from '../harness/running-service.ts'

/** Answers that go on, or are no JSON. */
const STREAMS = ['watch', 'getBackup']

let service: RunningService
let client: OpenapiClient
beforeAll(async () => {
  service = await startService()
  client = await OpenapiClient.of(service.url, service.token)
})
afterAll(() => service[Symbol.asyncDispose]())

test('the document alone is enough to set everything up, and every answer is as it says', async () => {
  await using receiver = await openReceiver()
  const source = await client.call<{ id: string; writeKeys: { key: string }[] }>('createSource', {
    body: { name: 'Shop' },
  })
  const settings = { sharedSecret: 'a secret of these tests', webhooks: [{ url: receiver.url }] }
  const { id } = await client.call<{ id: string }>('createDestination', {
    body: { sourceId: source.id, type: 'Webhooks', enabled: true, settings },
  })
  const { id: tokenId } = await client.call<{ id: string }>('createToken', {
    body: { name: 'ci', role: 'viewer' },
  })
  await client.call('changeSource', { parameters: { id: source.id }, body: { rateLimit: 100 } })
  await client.call('addWriteKey', { parameters: { id: source.id }, body: {} })
  const sender = { id: source.id, writeKey: source.writeKeys[0]!.key }
  await service.send(
    '/v1/track',
    { type: 'track', event: 'Order', userId: 'u1', messageId: 'm1' },
    sender,
  )
  const trace = await service.endOf('m1')
  const [delivery] = trace.deliveries
  for (const [operationId, parameters] of [
    ['listSources', { limit: '1' }],
    ['getSource', { id: source.id }],
    ['listDestinations', { sourceId: source.id }],
    ['getDestination', { id }],
    ['listEvents', { userId: 'u1', text: 'order', from: '2020-01-01' }],
    ['getEvent', { id: trace.id }],
    ['listDeliveries', { destinationId: id, class: 'delivered', status: '200' }],
    ['getDelivery', { id: delivery!.id }],
    ['listFailures', {}],
    ['listTokens', {}],
    ['listAudit', { targetId: source.id }],
    ['getStatistics', { step: '1h', destinationId: id }],
    ['exportConfiguration', {}],
    ['listReplays', {}],
    ['listDeletions', {}],
  ] as const) {
    await client.call(operationId, { parameters })
  }
  const document = await client.call('exportConfiguration', { parameters: { withSecrets: 'true' } })
  await client.call('importConfiguration', { body: document })
  await client.call('pauseDestination', { parameters: { id }, body: {} })
  await client.call('resumeDestination', { parameters: { id }, body: {} })
  await client.call('retryDelivery', { parameters: { id: delivery!.id }, body: {} })
  await client.call('removeToken', { parameters: { id: tokenId } })
  await service.endOf('m1')
})

describe('whatever is sent', () => {
  const hostile = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.constantFrom(
      '',
      ' ',
      '-1',
      '0',
      '1e9',
      '999999999999',
      'true',
      'null',
      '[]',
      '{}',
      '%00',
      '../..',
    ),
    fc.constantFrom(
      'x'.repeat(1_500),
      '💥'.repeat(50),
      '\u202e',
      "'; DROP TABLE events; --",
      '%',
      '_',
    ),
    fc.constantFrom('2026-01-01', '9999-12-31T23:59:59Z', '0000-01-01', 'src_', 'evt_', 'msg_~'),
  )
  const body = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 2 })),
    fc.constantFrom('{', '[]', '"', '{"a":1}}', '{"__proto__":{}}', '\u0000', '[[['.repeat(500)),
  )

  test('no answer is a 500 or outside the document', async () => {
    const ids = [...client.operations.keys()].filter((id) => !STREAMS.includes(id))
    expect(ids.length).toBeGreaterThan(25)
    const requests = fc.constantFrom(...ids).chain((operationId) => {
      const { parameters = [] } = client.operations.get(operationId)!
      const named = Object.fromEntries(
        parameters.map(({ name, in: place }) => [name, place === 'header' ? headerText : hostile]),
      )
      const inPath = parameters.filter((each) => each.in === 'path').map(({ name }) => name)
      return fc.record({
        operationId: fc.constant(operationId),
        parameters: fc.record(named, { requiredKeys: inPath }),
        body:
          client.bodySchema(operationId) === undefined
            ? fc.constant(undefined)
            : bodyOf(operationId),
      })
    })
    await fc.assert(
      fc.asyncProperty(requests, async ({ operationId, parameters, body: given }) => {
        // An empty or dotted part makes another path of it.
        const isPath = Object.values(parameters).every(
          (value) => !['', '.', '..'].includes(value ?? ''),
        )
        fc.pre(isPath)
        const sent = { parameters: parameters as Record<string, string>, body: given }
        const { answer, faults } = await client.send(operationId, sent)
        expect([operationId, answer.status < 500, faults]).toEqual([operationId, true, []])
      }),
      { numRuns: Number(process.env['HOOKLINE_TEST_FUZZ_RUNS'] ?? 600) },
    )
  }, 60_000)

  const headerText = fc.constantFrom('"1"', '*', 'W/"1"', '"', 'x'.repeat(1_500), ', ,', '-1')

  /** A body of the right form with something wrong in it, or one of another form. */
  function bodyOf(operationId: string): fc.Arbitrary<unknown> {
    const { properties = {} } = client.bodySchema(operationId) as { properties?: object }
    const fields = Object.keys(properties)
    if (fields.length === 0) return body
    const near = fc.dictionary(
      fc.constantFrom(...fields, 'no such field'),
      fc.jsonValue({ maxDepth: 2 }),
    )
    return fc.oneof(near, body)
  }
})

test('the reference page shows every operation, and loads nothing', async () => {
  const { status, headers, text } = await exchange(`${service.url}/api/docs`, { method: 'GET' })
  expect(status).toBe(200)
  expect(headers['content-type']).toBe('text/html; charset=utf-8')
  expect(headers['content-security-policy']).toContain("default-src 'none'")
  for (const id of client.operations.keys()) expect(text).toContain(`<article id="${id}">`)
  expect(text).not.toMatch(/<script|<link|<img|src=|@import|url\(/)
  const anchors = [...text.matchAll(/href="#([^"]+)"/g)].map(([, id]) => `id="${id}"`)
  expect(anchors.filter((id) => !text.includes(id))).toEqual([])
  expect(text.length).toBeLessThan(400_000)
})
