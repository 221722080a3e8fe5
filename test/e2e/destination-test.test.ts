import { expect, it } from 'vitest'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { isSignedWith } from '@hookline/testing/receiver/is-signed-with'
import { type RunningService, startService } from '@hookline/testing/service/running-service'

interface TestResult {
  readonly dryRun: boolean
  readonly deliveryId: string
  readonly webhooks: readonly {
    readonly url: string
    readonly request: { readonly headers: Record<string, string>; readonly body: string }
    readonly signature: { readonly xSignature: string | null }
    readonly attempt: { readonly class: string; readonly status?: number } | null
  }[]
}

const TYPES = ['identify', 'track', 'page', 'screen', 'group', 'alias', 'delete']
const SECRET = 'the-shared-secret'

const test = (service: RunningService, id: string, body: object): Promise<TestResult> =>
  service.api.call<TestResult>('POST', `destinations/${id}/test`, body)

it('a test delivery sends a sample of each type, even to a disabled destination, and shows it byte for byte', async () => {
  await using receiver = await openReceiver({ respond: { status: 201, body: 'thanks' } })
  await using service = await startService()
  const webhooks = [{ url: receiver.url, headers: { 'x-key': 'static-value' } }]
  const id = await service.createDestination({ webhooks, secret: SECRET, enabled: false })
  for (const [index, type] of TYPES.entries()) {
    const { deliveryId, webhooks: tested } = await test(service, id, { type })
    const request = receiver.requests[index]!
    expect(isSignedWith(SECRET, request)).toBe(true)
    expect(request.headers['x-key']).toBe('static-value')
    const [{ request: shown, signature, attempt }] = tested as [TestResult['webhooks'][number]]
    expect(JSON.parse(shown.body)).toMatchObject({ type })
    expect(shown.body).toBe(request.body.toString())
    const sent = Object.fromEntries(
      Object.entries(shown.headers).map(([name, value]) => [name.toLowerCase(), value]),
    )
    expect(sent).toEqual({
      ...Object.fromEntries(Object.keys(sent).map((name) => [name, request.headers[name]])),
      'x-key': '[hidden]',
    })
    expect(sent['webhook-id']).toBe(deliveryId)
    expect(signature.xSignature).toBe(request.headers['x-signature'])
    expect(attempt).toMatchObject({ class: 'delivered', status: 201, body: 'thanks' })
  }
  expect(await service.api.call('GET', 'deliveries')).toMatchObject({ data: [] })
})

it('a test delivery with dryRun shows the requests without sending them', async () => {
  await using receiver = await openReceiver()
  await using service = await startService()
  const id = await service.createDestination({ urls: [receiver.url] })
  const { dryRun, webhooks } = await test(service, id, { type: 'delete', dryRun: true })
  expect(dryRun).toBe(true)
  expect(webhooks).toMatchObject([{ attempt: null, signature: { xSignature: null } }])
  const { timestamp, ...rest } = JSON.parse(webhooks[0]!.request.body) as { timestamp: string }
  expect(rest).toEqual({ type: 'delete', userId: 'sample-user' })
  expect(timestamp).toMatch(/Z$/)
  expect(receiver.requests).toEqual([])
})

it('a test delivery of a stored event has the webhook-id of its delivery', async () => {
  await using receiver = await openReceiver()
  await using service = await startService()
  const id = await service.createDestination({ urls: [receiver.url] })
  await service.track('m1')
  const { id: eventId, deliveries } = await service.endOf('m1')
  const { deliveryId } = await test(service, id, { eventId })
  expect(deliveryId).toBe(deliveries[0]!.id)
  const [first, second] = receiver.requests
  expect(second!.body.toString()).toBe(first!.body.toString())
  expect(second!.headers['webhook-id']).toBe(deliveryId)
})

it("a test delivery respects the rules for addresses, and shows each webhook's response", async () => {
  await using receiver = await openReceiver({ respond: 500 })
  await using service = await startService({ settings: { allowedNetworks: '127.0.0.0/8' } })
  const urls = [receiver.url, 'http://169.254.169.254/', 'http://127.0.0.1:2/']
  const id = await service.createDestination({ urls })
  const { webhooks } = await test(service, id, { type: 'track' })
  expect(webhooks.map(({ url, attempt }) => [url, attempt?.class])).toEqual([
    [urls[0], 'http_5xx'],
    [urls[1], 'address_forbidden'],
    [urls[2], 'connection_failed'],
  ])
})

it('a test delivery that cannot be sent is refused with a hint', async () => {
  await using service = await startService()
  const id = await service.createDestination({ urls: ['https://example.com/'] })
  const stranger = await service.createSource()
  await service.track('m1', {})
  const { id: eventId } = await service.eventually(() => service.trace('m1'))
  const other = await service.createDestination({
    urls: ['https://example.com/'],
    source: stranger,
    enabled: false,
  })
  for (const [destination, body, pointer] of [
    [id, {}, '/type'],
    [id, { type: 'track', eventId }, '/type'],
    [id, { type: 'nonsense' }, '/type'],
    [id, { eventId: 'evt_none' }, '/eventId'],
    [other, { eventId }, '/eventId'],
  ] as const) {
    const { status, text } = await service.api.request(
      'POST',
      `destinations/${destination}/test`,
      body,
    )
    expect(status).toBe(422)
    expect(JSON.parse(text)).toMatchObject({
      errors: [{ pointer, hint: expect.stringMatching(/./) }],
    })
  }
  await service.api.call('PATCH', `destinations/${id}`, { enabled: false })
})
