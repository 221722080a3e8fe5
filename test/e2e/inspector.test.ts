import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isSignedWith } from '@hookline/testing/receiver/is-signed-with'
import { type RunningService, startService } from '@hookline/testing/service/running-service'

interface Inspected {
  readonly id: string
  readonly destinationId: string | null
  readonly deliveryId: string
  readonly attempt: number
  readonly path: string
  readonly userId: string | null
  readonly messageId: string | null
  readonly type: string
  readonly signature: { readonly verdict: string; readonly reason: string | null }
  readonly response: { readonly status: number; readonly sent: boolean }
  readonly headers: readonly { readonly name: string; readonly value: string }[]
  readonly body: string
}

const URL = 'http://inspector.internal/hook'
const SECRET = 'the shared secret of this test'

// Webhooks cannot reach loopback or the proxy, so only the inspector can receive a delivery.
const CLOSED = {
  allowedNetworks: '',
  egressProxy: 'http://127.0.0.1:2',
  retryScheduleMs: '20',
} as const

let service: RunningService
beforeEach(async () => {
  service = await startService({ settings: CLOSED })
})
afterEach(() => service[Symbol.asyncDispose]())

const listed = async (query = '') =>
  (await service.api.call<{ data: Inspected[] }>('GET', `inspector/requests${query}`)).data

describe('the inspector', () => {
  it('receives a complete, signed delivery, regardless of the settings for networks and the proxy', async () => {
    const webhooks = [{ url: URL, headers: { 'X-Key': 'planted header value' } }]
    const id = await service.createDestination({ webhooks, secret: SECRET })
    await service.track('m1')
    const { deliveries } = await service.endOf('m1')
    expect(deliveries[0]).toMatchObject({ state: 'delivered' })
    const [summary] = await listed()
    const request = await service.api.call<Inspected>('GET', `inspector/requests/${summary!.id}`)
    expect(request).toMatchObject({
      destinationId: id,
      deliveryId: deliveries[0]!.id,
      attempt: 1,
      messageId: 'm1',
      path: '/hook',
      signature: { verdict: 'valid', reason: null },
      response: { status: 200, sent: true },
    })
    const headers = request.headers.map(({ name, value }) => [name.toLowerCase(), value])
    const received = {
      method: 'POST',
      path: request.path,
      headers: Object.fromEntries(headers) as Record<string, string>,
      body: Buffer.from(request.body),
    }
    expect(isSignedWith(SECRET, received)).toBe(true)
    expect(headers).toContainEqual(['x-key', '[hidden]'])
  })

  it('makes attempts fail as configured, and shows each of them', async () => {
    const responses = { status: 503, failFirst: 2 }
    await service.api.call('PUT', 'inspector/responses', responses)
    await service.createDestination({ urls: [URL], secret: SECRET })
    await service.track('m1')
    const { deliveries } = await service.endOf('m1')
    expect(deliveries[0]).toMatchObject({ state: 'delivered' })
    const attempts = await listed(`?deliveryId=${deliveries[0]!.id}`)
    expect(attempts.map(({ attempt, response }) => [attempt, response.status])).toEqual([
      [3, 200],
      [2, 503],
      [1, 503],
    ])
  })

  it('distinguishes destinations with the same URL by their secrets, or once the delivery is recorded', async () => {
    const destinationIds = [
      await service.createDestination({ urls: [URL], secret: SECRET }),
      await service.createDestination({ urls: [URL], secret: 'another secret' }),
      await service.createDestination({ urls: [URL] }),
      await service.createDestination({ urls: [URL] }),
    ]
    await service.track('m1')
    const { deliveries } = await service.endOf('m1')
    await service.eventually(async () => {
      const requests = await listed()
      expect(new Set(requests.map(({ destinationId }) => destinationId))).toEqual(
        new Set(destinationIds),
      )
      expect(requests).toHaveLength(destinationIds.length)
      for (const { destinationId, deliveryId, signature } of requests) {
        const delivery = deliveries.find(({ id }) => id === deliveryId)
        expect(delivery).toMatchObject({ destinationId })
        const isSigned = destinationIds.indexOf(destinationId!) < 2
        expect(signature.verdict).toBe(isSigned ? 'valid' : 'missing')
      }
    })
  })

  it('considers requests valid during a rotation of the secret, and after the secret is replaced', async () => {
    const id = await service.createDestination({ urls: [URL], secret: SECRET })
    const rotation = { secret: 'the next secret', overlapHours: 1 }
    await service.api.call('POST', `destinations/${id}/rotate-secret`, rotation)
    await service.track('m1')
    await service.endOf('m1')
    await service.api.call('PATCH', `destinations/${id}`, { settings: { sharedSecret: 'a third' } })
    await service.track('m2')
    await service.endOf('m2')
    const verdicts = (await listed()).map(({ signature }) => signature.verdict)
    expect(verdicts).toEqual(['valid', 'valid'])
  })

  it('keeps only the notice about a deleted user', async () => {
    await service.createDestination({ urls: [URL], secret: SECRET })
    for (const [messageId, userId] of [
      ['m1', 'u1'],
      ['m2', 'u2'],
      ['m3', 'u1'],
    ] as const) {
      await service.track(messageId, { userId })
      await service.endOf(messageId)
    }
    await service.api.call('POST', 'deletions', { userIds: ['u1'] })
    await service.eventually(async () => {
      expect((await listed()).map(({ type, userId }) => [type, userId])).toEqual([
        ['delete', 'u1'],
        ['track', 'u2'],
      ])
    })
    // The final check compares accepted calls with events, and would report deleted ones as missing. It is skipped after a
    // restart.
    await service.restart()
  })

  it('receives a test delivery without a DNS lookup', async () => {
    const id = await service.createDestination({ urls: [URL], secret: SECRET })
    const tested = await service.api.call<object>('POST', `destinations/${id}/test`, {
      type: 'track',
    })
    expect(tested).not.toHaveProperty('warnings.0')
    expect(await listed()).toMatchObject([{ destinationId: id, signature: { verdict: 'valid' } }])
  })

  it('cannot be used with a port in its URL, and the error contains the correct URL', async () => {
    const settings = { webhooks: [{ url: 'http://INSPECTOR.internal:4801/' }] }
    const body = { sourceId: service.source.id, type: 'Webhooks', settings }
    const { status, text } = await service.api.request('POST', 'destinations', body)
    expect(status).toBe(422)
    expect(JSON.parse(text)).toMatchObject({
      errors: [
        {
          pointer: '/settings/webhooks/0/url',
          code: 'not_the_inspector',
          hint: expect.stringContaining('http://inspector.internal/') as string,
        },
      ],
    })
  })

  it('loses its requests and responses when the service stops', async () => {
    await service.api.call('PUT', 'inspector/responses', { status: 500 })
    await service.createDestination({ urls: [URL] })
    await service.restart()
    expect(await service.api.call('GET', 'inspector')).toMatchObject({
      responses: { status: 200, delayMs: 0, failFirst: null },
      requests: { stored: 0, received: 0 },
    })
    await service.track('m1')
    expect((await service.endOf('m1')).deliveries[0]!.state).toBe('delivered')
  })
})

it.for([
  'http://x.inspector.internal/',
  'http://inspector.internal./',
  'http://xinspector.internal/',
])('the inspector does not receive requests to %s', async (url) => {
  await using direct = await startService({ settings: { allowedNetworks: '' } })
  await direct.createDestination({ urls: [url] })
  await direct.track('m1')
  await direct.eventually(async () => {
    const [delivery] = (await direct.trace('m1')).deliveries
    expect(delivery!.attempts[0]).toMatchObject({ outcome: 'retry' })
  })
  const { requests } = await direct.api.call<{ requests: object }>('GET', 'inspector')
  expect(requests).toMatchObject({ received: 0 })
})
