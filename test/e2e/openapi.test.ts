import { afterAll, beforeAll, expect, test } from 'vitest'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { exchange } from '@hookline/testing/network/http-exchange'
import { OpenapiClient } from '@hookline/testing/api/openapi-client'
import { type RunningService, startService } from '@hookline/testing/service/running-service'

let service: RunningService
let client: OpenapiClient
beforeAll(async () => {
  service = await startService()
  client = await OpenapiClient.of(service.url, service.token)
})
afterAll(() => service[Symbol.asyncDispose]())

test('responses to typical requests match the document', async () => {
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

test('the reference page shows every operation, and loads no other resources', async () => {
  const { status, headers, text } = await exchange(`${service.url}/api/docs`, { method: 'GET' })
  expect(status).toBe(200)
  expect(headers['content-type']).toBe('text/html; charset=utf-8')
  expect(headers['content-security-policy']).toContain("default-src 'none'")
  for (const id of client.operations.keys()) expect(text).toContain(`<article id="${id}">`)
  expect(text).not.toMatch(/<script|<link|<img|src=|@import|url\(/)
  const anchors = [...text.matchAll(/href="#([^"]+)"/g)].map(([, id]) => `id="${id}"`)
  expect(anchors.filter((id) => !text.includes(id))).toEqual([])
  expect(text.length).toBeLessThan(450_000)
})
