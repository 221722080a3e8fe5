import type { WebhooksSettings } from '@hookline/protocol'
import fc from 'fast-check'
import { errors, Pool } from 'undici'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Transforms } from '../../../src/delivery/transforms/transforms.ts'
import { TestDeliverySender } from '../../../src/delivery/parts/test-deliveries.ts'
import { AttemptTimer } from '../../../src/delivery/network/attempt-timer.ts'
import { Exchange, ExchangeDeadlines } from '../../../src/delivery/sending/exchange.ts'
import type { WebhookRequest } from '../../../src/delivery/sending/webhook-request.ts'
import { parseWebhooksSettings } from '../../../src/admin/destinations/settings.ts'
import { systemClock } from '../../../src/util/time/clock.ts'
import { AdminServer } from '../../admin/admin-server.ts'
import { openReceiver, type ReceiverOptions } from '@hookline/testing/receiver/receiver'
import { TestEngine } from '@hookline/testing/engine/test-engine'
import { openSender, requestTo } from '@hookline/testing/engine/open-sender'

const REFUSED = { outcome: 'rejected', class: 'request_invalid' } as const

async function listening(options: ReceiverOptions = {}) {
  const receiver = await openReceiver(options)
  onTestFinished(() => receiver[Symbol.asyncDispose]())
  return receiver
}

const request = (url: string, headers: object = {}): WebhookRequest =>
  requestTo(url, { headers: headers as WebhookRequest['headers'], body: Buffer.from('{"a":1}') })

/** Static headers that a destination may have stored, but that cannot be sent over HTTP. */
const UNSENDABLE: readonly (readonly [name: string, value: unknown])[] = [
  ['Expect', '100-continue'],
  ['expect', 'something'],
  ['Upgrade', 'h2c'],
  ['UPGRADE', 'websocket'],
  ['Keep-Alive', 'timeout=5'],
  ['keep-alive', 'x'],
  ['Transfer-Encoding', 'chunked'],
  ['transfer-encoding', 'identity'],
  ['Content-Length', '1'],
  ['content-length', '7'],
  ['content-length', '1e3'],
  ['Connection', 'close'],
  ['connection', 'not a token'],
  ['Host', 'other.example'],
  ['host', '[no-end'],
  ['', 'v'],
  ['two words', 'v'],
  ['colon:', 'v'],
  ['line\r\nbreak', 'v'],
  ['ümlaut', 'v'],
  ['X-Injected', 'a\r\nX-Other: b'],
  ['X-Nul', 'a\0b'],
  ['X-Euro', 'for 5 €'],
  ['X-Half', '\ud800'],
  ['X-Object', {}],
  ['X-List', [{}]],
]

describe('an unsendable static header', () => {
  test.for(UNSENDABLE)('causes a rejected attempt: %j: %j', async ([name, value]) => {
    const receiver = await listening()
    const sender = openSender()
    const result = await sender.send(request(receiver.url, { 'X-Fine': 'v', [name]: value }))
    expect(result).toMatchObject({ ...REFUSED, startedAt: expect.any(Number) })
    expect(result.error).toMatch(/^Hookline cannot send .*\.$/)
    expect(result.error).toContain(JSON.stringify(name))
    expect(receiver.connections).toBe(0)
    expect(await sender.send(request(receiver.url))).toMatchObject({ class: 'delivered' })
  })

  test('does not block other requests to the same URL', async () => {
    const receiver = await listening({ respond: () => slow(50) })
    const sender = openSender({ maxConnectionsPerWebhook: 1 })
    const results = await Promise.all([
      sender.send(request(receiver.url)),
      sender.send(request(receiver.url, { Expect: '100-continue' })),
      sender.send(request(receiver.url, { 'X-Fine': 'v' })),
    ])
    const classes = results.map((result) => result.class)
    expect(classes).toEqual(['delivered', 'request_invalid', 'delivered'])
  })
})

test.for(['nonsense', 'ftp://a.example/', 'mailto:a@a.example', 'http://', ''])(
  'a URL that cannot be requested causes a rejected attempt: %j',
  async (url) => {
    const result = await openSender({ timeoutMs: 20 }).send(request(url))
    expect(result).toMatchObject({ ...REFUSED, error: expect.stringMatching(/^Hookline cannot/) })
    // Nothing rejects after the deadline.
    await slow(50)
  },
)

describe('an error in undici before it sends', () => {
  const dispatched = async (pool: Pool, change: object): Promise<unknown> => {
    const exchange = new Exchange(new ExchangeDeadlines(systemClock, 1000), new AttemptTimer())
    pool.dispatch({ method: 'POST', path: '/', body: '{}', ...change }, exchange)
    return exchange.response.catch((error: unknown) => error)
  }

  test.for([
    { path: 'no-slash' },
    { path: '/with space' },
    { method: 'NO METHOD' },
    { headers: { Expect: '100-continue' } },
    { headers: { host: '[no-end' } },
    { headers: 'x' },
    { bodyTimeout: -1 },
  ])('is reported as a refused request: %j', async (change) => {
    const pool = new Pool('http://127.0.0.1:9')
    onTestFinished(() => pool.destroy())
    expect(await dispatched(pool, change)).toMatchObject({ code: 'HOOKLINE_REQUEST_REFUSED' })
  })

  test('is not reported as a refused request if the pool was closed', async () => {
    const pool = new Pool('http://127.0.0.1:9')
    await pool.destroy()
    expect(await dispatched(pool, {})).toBeInstanceOf(errors.ClientDestroyedError)
  })
})

const tokenCharacter = fc.constantFrom(..."!#$%&'*+-.^_`|~019AZaz".split(''))
const KNOWN =
  `accept accept-encoding authorization cache-control content-encoding content-length content-type cookie
  connection date expect forwarded from host http2-settings if-match keep-alive link origin pragma prefer proxy-connection
  range referer sec-websocket-key te trailer transfer-encoding upgrade upgrade-insecure-requests user-agent via x-signature
  webhook-id __proto__ constructor toString hasOwnProperty`.split(/\s+/)
const name = fc.oneof(
  fc.constantFrom(...KNOWN),
  fc.constantFrom(...KNOWN).map((each) => each.toUpperCase()),
  fc.string({ unit: tokenCharacter, minLength: 1, maxLength: 256 }),
)
const visible = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 1024 })
const runs = { numRuns: 300 }

test('every header that the settings accept arrives', async () => {
  const receiver = await listening()
  const sender = openSender()
  await fc.assert(
    fc.asyncProperty(fc.dictionary(name, visible, { maxKeys: 5 }), async (headers) => {
      const webhooks = [{ url: receiver.url, headers }]
      const rules = { allowedPorts: new Set([receiver.port]) }
      const parsed = parseWebhooksSettings({ webhooks }, undefined, rules)
      const result = await sender.send(request(receiver.url, headers))
      if ('errors' in parsed) return
      expect(result).toMatchObject({ class: 'delivered' })
      const { headers: received } = receiver.requests.at(-1)!
      for (const [each, value] of Object.entries(headers)) {
        expect(received[each.toLowerCase()], each).toContain(value)
      }
    }),
    runs,
  )
})

test('any headers result in an attempt, and its error contains none of their values', async () => {
  const receiver = await listening()
  const sender = openSender()
  const anything = fc.oneof(fc.string({ unit: 'binary', maxLength: 20 }), name)
  const value = fc.string({ unit: 'binary', minLength: 12, maxLength: 40 })
  await fc.assert(
    fc.asyncProperty(fc.dictionary(anything, value, { maxKeys: 5 }), async (headers) => {
      const { class: kind, error = '' } = await sender.send(request(receiver.url, headers))
      expect(kind).toMatch(/^(?:delivered|request_invalid)$/)
      for (const each of Object.values(headers)) expect(error).not.toContain(each)
    }),
    runs,
  )
})

function stored(healthyUrl: string, brokenUrl: string, change: Partial<WebhooksSettings> = {}) {
  const broken = { url: brokenUrl, headers: { Expect: '100-continue' } }
  const webhooks = [{ url: healthyUrl, headers: {} }, broken]
  return { settings: { sharedSecret: null, webhooks, successPolicy: 'any' as const, ...change } }
}

describe('a destination stored with an unsendable static header', () => {
  test.for([
    ['any', 'delivered'],
    ['each', 'rejected'],
  ] as const)('still serves its other webhooks, with policy %s', async ([successPolicy, state]) => {
    const receiver = await listening()
    await using engine = await TestEngine.open()
    const change = stored(receiver.url, `${receiver.url}/broken`, { successPolicy })
    await engine.destination('dst_a', '', change)
    await engine.receive(1)
    await expect.poll(async () => (await engine.deliveries({}))[0]?.state).toBe(state)
    const [delivery] = await engine.deliveries({})
    const outcomes = delivery!.attempts.map((each) => [each.url, each.class] as const)
    expect(Object.fromEntries(outcomes)).toEqual({
      [receiver.url]: 'delivered',
      [`${receiver.url}/broken`]: 'request_invalid',
    })
    expect(receiver.requests).toHaveLength(1)
    expect((await engine.backend.upkeep.backlog()).quarantined).toBe(0)
  })

  test('shows the error in a test delivery', async () => {
    const receiver = await listening()
    const testDeliveries = new TestDeliverySender({
      sender: openSender(),
      transforms: new Transforms(),
      clock: systemClock,
    })
    await using engine = await TestEngine.open()
    const destination = await engine.destination(
      'dst_a',
      '',
      stored(receiver.url, `${receiver.url}/broken`),
    )
    await using server = await AdminServer.open({ testDeliveries })
    await server.backend.catalog.putDestination(destination)
    const body = { type: 'track' }
    const response = await server.call('POST', '/destinations/dst_a/test', { body })
    expect(response.status).toBe(200)
    expect(response.body).toMatchObject({
      webhooks: [
        { attempt: { class: 'delivered', status: 200 } },
        { attempt: { ...REFUSED, error: 'Hookline cannot send the static header "Expect".' } },
      ],
    })
    const change = { body: { enabled: false } }
    expect((await server.call('PATCH', '/destinations/dst_a', change)).status).toBe(200)
  })
})

function slow(ms: number): Promise<number> {
  return new Promise((resolve) => setTimeout(() => resolve(200), ms))
}
