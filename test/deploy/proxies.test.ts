import { ingestError } from '@hookline/protocol'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { exchange } from '@hookline/testing/network/http-exchange'
import { caddy } from './proxies/caddy.ts'
import { CLIENT_ADDRESS } from './proxies/https-exchange.ts'
import { nginx } from './proxies/nginx.ts'
import { ServiceBehind } from './proxies/service-behind.ts'

const HIDDEN = [
  '/api/v1/sources',
  '/api/docs',
  '/metrics',
  '/livez',
  '/readyz',
  '/',
  '//metrics',
  '//api/v1/sources',
  '/api/source/track',
  '/beacon/metrics',
  // Paths that a proxy and the service could interpret differently.
  '/v1/../metrics',
  '/metrics/../v1/track',
  '/docs/../v1/track',
  '/v1/%2e%2E/metrics',
  '/api/v1/sources/..%2f..%2f..%2fv1%2ftrack',
  '/api/v1/sources/%2e%2e/%2e%2e/%2e%2e/v1/track',
  '/%76%31/track',
  '/v1/..?/v1/track',
]
const MAX_BYTES = 557_056
const JSON_BODY = { 'Content-Type': 'application/json' }

const callOf = (writeKey: string, more: object = {}): string =>
  JSON.stringify({ writeKey, userId: 'u1', event: 'Order Completed', ...more })

describe.each([
  ['nginx', nginx],
  ['caddy', caddy],
])('behind %s', (name, prepare) => {
  it('calls over TLS are accepted, even if compressed', async (context) => {
    await using service = await ServiceBehind.start(context, name, prepare)
    const plain = { method: 'POST', headers: JSON_BODY, body: callOf(service.writeKey) }
    expect(await service.call('/v1/track', plain)).toMatchObject({ status: 200 })
    const compressed = {
      method: 'POST',
      headers: { ...JSON_BODY, 'Content-Encoding': 'gzip' },
      body: gzipSync(callOf(service.writeKey)),
    }
    expect(await service.call('/v1/track', compressed)).toMatchObject({ status: 200 })
  })

  it('Hookline gets the real address and URL of the client, even if the client forges headers', async (context) => {
    await using service = await ServiceBehind.start(context, name, prepare)
    const headers = {
      ...JSON_BODY,
      Origin: 'https://shop.example',
      'X-Forwarded-For': '203.0.113.9',
      'X-Forwarded-Host': 'evil.example',
      'X-Forwarded-Proto': 'gopher',
    }
    const body = callOf(service.writeKey)
    expect(await service.call('/v1/t', { method: 'POST', headers, body })).toMatchObject({
      status: 200,
    })
    const { data } = await service.api.call<{
      data: { event: { context: { ip: string } } }[]
    }>('GET', 'events')
    for (const path of ['/v1/projects', '/projects']) {
      const { text } = await service.call(`${path}/${service.writeKey}/settings`, { headers })
      expect(JSON.parse(text)).toMatchObject({
        integrations: { 'Segment.io': { apiHost: `${service.host}/v1`, protocol: 'https' } },
      })
    }
    expect(data[0]!.event.context.ip).toBe(CLIENT_ADDRESS)
  })

  it('the proxy hides every path that is not public', async (context) => {
    await using service = await ServiceBehind.start(context, name, prepare)
    for (const path of HIDDEN) {
      const { status, text } = await service.call(path)
      expect([path, status]).toEqual([path, 404])
      expect(JSON.parse(text)).toEqual(ingestError('not_found'))
    }
  })

  it.for(['//v1/track', '/api/s/track', '/api/s/s2s/track', '/beacon/v1/batch'])(
    'calls from other libraries, to %s, are accepted',
    async (path, context) => {
      await using service = await ServiceBehind.start(context, name, prepare)
      const call = JSON.parse(callOf(service.writeKey, { type: 'track' })) as { writeKey: string }
      const body = path.endsWith('batch') ? { writeKey: call.writeKey, batch: [call] } : call
      const sent = { method: 'POST', headers: JSON_BODY, body: JSON.stringify(body) }
      expect(await service.call(path, sent)).toMatchObject({ status: 200 })
    },
  )

  it('the public keys of a destination pass through the proxy', async (context) => {
    await using service = await ServiceBehind.start(context, name, prepare)
    const sources = await service.api.call<{ data: { id: string }[] }>('GET', 'sources')
    const { id } = await service.api.call<{ id: string }>('POST', 'destinations', {
      sourceId: sources.data[0]!.id,
      type: 'Webhooks',
      settings: { webhookUrl: 'https://a.example/', signature: 'ed25519' },
    })
    const { status, text } = await service.call(`/.well-known/hookline/keys/${id}`)
    expect([status, text]).toEqual([200, expect.stringContaining('"whpk_')])
  })

  it('dots and encoded slashes in the query of a call are harmless', async (context) => {
    await using service = await ServiceBehind.start(context, name, prepare)
    const sent = { method: 'POST', headers: JSON_BODY, body: callOf(service.writeKey) }
    const path = '/v1/track?page=https%3A%2F%2Fshop.example/../cart'
    expect(await service.call(path, sent)).toMatchObject({ status: 200 })
  })

  it('the body limit and its response come from Hookline', async (context) => {
    await using service = await ServiceBehind.start(context, name, prepare)
    const largest = callOf(service.writeKey).padEnd(MAX_BYTES)
    const sent = { method: 'POST', headers: JSON_BODY, body: largest }
    expect(await service.call('/v1/track', sent)).toMatchObject({ status: 200 })
    const larger = { ...sent, body: `${largest} ` }
    const itself = await exchange(`${service.url}/v1/track`, larger)
    const { status, text } = await service.call('/v1/track', larger)
    expect({ status, body: JSON.parse(text) }).toEqual({
      status: itself.status,
      body: JSON.parse(itself.text),
    })
  })

  it('an operator gets the live tail without buffering, and nothing under an unknown host name', async (context) => {
    await using service = await ServiceBehind.start(context, name, prepare)
    const tail = await service.administer('/api/v1/live')
    expect(tail.statusCode).toBe(200)
    const sent = { headers: JSON_BODY, body: callOf(service.writeKey) }
    expect((await exchange(`${service.url}/v1/track`, sent)).status).toBe(200)
    let text = ''
    for await (const chunk of tail) {
      text += String(chunk)
      if (text.includes('Order Completed')) break
    }
    expect(text).toContain('Order Completed')
    const textOf = async (headers = {}): Promise<string> =>
      (await (await service.administer('/metrics', headers)).toArray()).join('')
    expect(await textOf()).toContain('hookline_build_info')
    expect(await textOf({ Host: 'rebound.example' })).not.toContain('hookline_')
  })

  it('a client gets JSON and Retry-After while the service is down', async (context) => {
    await using service = await ServiceBehind.start(context, name, prepare)
    await service.stop()
    const sent = { method: 'POST', headers: JSON_BODY, body: callOf(service.writeKey) }
    const { status, text, headers } = await service.call('/v1/track', sent)
    expect([status, headers['retry-after']]).toEqual([503, '5'])
    expect(JSON.parse(text)).toEqual(ingestError('overloaded'))
  })
  it('no log contains the query of a request, even while the service is down', async (context) => {
    await using service = await ServiceBehind.start(context, name, prepare)
    await service.stop()
    const query = `writeKey=${service.writeKey}`
    expect(await service.call(`/v1/track?${query}`, { method: 'POST' })).toMatchObject({
      status: 503,
    })
    expect((await service.administer(`/api/v1/events?${query}`)).statusCode).toBe(502)
    const logs = await service.stopProxy()
    expect(logs).toContain('/api/v1/events')
    expect(logs).not.toContain('writeKey')
  })
})
