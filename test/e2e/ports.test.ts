import { expect, it } from 'vitest'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { startService } from '@hookline/testing/service/running-service'

// The port of Elasticsearch nodes, unused on this machine.
const PORT = 9300

it('destinations at ports of other protocols are refused, in every request that creates or changes them', async () => {
  await using service = await startService()
  const id = await service.createDestination({ urls: ['https://example.com/'] })
  const settings = {
    webhooks: [{ url: 'https://example.com/' }, { url: 'http://redis.example:6379/' }],
  }
  const { id: sourceId } = service.source
  const entry = {
    id,
    sourceId,
    type: 'Webhooks',
    name: 'D',
    enabled: true,
    paused: false,
    settings,
  }
  const document = { hookline: 1, sources: [], destinations: [entry], audiences: [], traits: [] }
  const ways = [
    ['POST', 'destinations', { sourceId, type: 'Webhooks', settings }, ''],
    ['PATCH', `destinations/${id}`, { settings }, ''],
    ['PUT', 'import', document, '/destinations/0'],
  ] as const
  for (const [method, path, body, at] of ways) {
    const { status, text } = await service.api.request(method, path, body)
    expect([status, JSON.parse(text)], path).toMatchObject([
      422,
      {
        code: 'invalid_body',
        errors: [
          {
            pointer: `${at}/settings/webhooks/1/url`,
            code: 'port_not_allowed',
            message: 'Port 6379 is reserved for Redis.',
            hint: expect.stringContaining('allowedPorts'),
          },
        ],
      },
    ])
  }
})

it('deliveries to a port that the operator allows are sent', async () => {
  await using receiver = await openReceiver({ port: PORT })
  await using service = await startService({ settings: { allowedPorts: `22,${PORT}` } })
  await service.createDestination({ urls: [receiver.url] })
  await service.track('m1')
  const { deliveries } = await service.endOf('m1')
  expect(deliveries).toMatchObject([{ state: 'delivered' }])
  expect(receiver.requests).toHaveLength(1)
})
