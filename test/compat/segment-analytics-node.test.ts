import { Analytics, type Context } from '@segment/analytics-node'
import { describe, expect, test } from 'vitest'
import {
  openReceiver,
  type ReceivedRequest,
  type Respond,
} from '@hookline/testing/receiver/receiver'
import { isSignedWith } from '@hookline/testing/receiver/is-signed-with'
import { type RunningService, startService } from '@hookline/testing/service/running-service'

const SECRET = 'a shared secret'
const past = new Date('2014-12-12T19:04:59.123Z')
const user = { userId: 'u1' }
const library = { name: '@segment/analytics-node', version: '3.1.0' }

type Settled = (error?: unknown, context?: Context) => void

/** Each call as an application makes it, with its expected payload without messageId, context and timestamp. */
const CALLS: readonly (readonly [(analytics: Analytics, done: Settled) => void, object])[] = [
  [
    (analytics, done) =>
      analytics.identify({ ...user, traits: { plan: 'pro', logins: 5 }, timestamp: past }, done),
    { type: 'identify', ...user, traits: { plan: 'pro', logins: 5 } },
  ],
  [
    (analytics, done) =>
      analytics.track({ ...user, event: 'Order Completed', properties: { revenue: 39.95 } }, done),
    { type: 'track', ...user, event: 'Order Completed', properties: { revenue: 39.95 } },
  ],
  [
    (analytics, done) =>
      analytics.page({ ...user, name: 'P', category: 'C', properties: { path: '/p' } }, done),
    { type: 'page', ...user, name: 'P', category: 'C', properties: { path: '/p', category: 'C' } },
  ],
  [
    (analytics, done) => analytics.screen({ anonymousId: 'a1', name: 'Home' }, done),
    { type: 'screen', anonymousId: 'a1', name: 'Home', properties: {} },
  ],
  [
    (analytics, done) =>
      analytics.group({ ...user, groupId: 'g1', traits: { 'Company Name': 'Initech' } }, done),
    { type: 'group', ...user, groupId: 'g1', traits: { 'Company Name': 'Initech' } },
  ],
  [
    (analytics, done) => analytics.alias({ ...user, previousId: 'a0' }, done),
    { type: 'alias', 'Previous ID': 'a0', 'User ID': 'u1' },
  ],
]

/** Makes every call with the unmodified library. Resolves with the messageIds. */
async function makeAllCalls(
  service: RunningService,
  options: { readonly flushAt?: number },
): Promise<string[]> {
  const analytics = new Analytics({
    writeKey: service.source.writeKey,
    host: service.url,
    ...options,
  })
  const errors: unknown[] = []
  analytics.on('error', (error) => errors.push(error))
  const sent = CALLS.map(
    ([call]) =>
      new Promise<string>((resolve, reject) => {
        call(analytics, (error, context) =>
          error ? reject(error) : resolve(String(context?.event.messageId)),
        )
      }),
  )
  await analytics.closeAndFlush()
  expect(errors).toEqual([])
  return Promise.all(sent)
}

/** Responds with 401 to requests with an invalid signature, and passes the others to `respond`. */
function verifying(respond: Respond): Respond {
  return (request, index) => (isSignedWith(SECRET, request) ? respond(request, index) : 401)
}

/** The payload of a request without the fields that differ in every run. */
function payloadOf({ body }: ReceivedRequest): object {
  const {
    messageId: _id,
    context,
    timestamp,
    ...payload
  } = JSON.parse(body.toString()) as {
    messageId: string
    context: { library: object }
    timestamp: string
  }
  expect(context).toEqual({ library })
  expect(timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  return payload
}

const messageIdOf = ({ body }: ReceivedRequest): string => JSON.parse(body.toString()).messageId

describe.concurrent('@segment/analytics-node, unmodified', () => {
  test.for([
    ['with batching', {}],
    ['without batching', { flushAt: 1 }],
  ] as const)('%s: every type of call arrives exactly once, signed', async ([, options]) => {
    await using receiver = await openReceiver({ respond: verifying(() => 200) })
    await using service = await startService()
    await service.createDestination({ urls: [receiver.url], secret: SECRET })
    const sent = await makeAllCalls(service, options)
    for (const messageId of sent) {
      const trace = await service.endOf(messageId)
      expect(trace).toMatchObject({ duplicates: 0, decisions: [{ decision: 'deliver' }] })
      expect(trace.deliveries).toMatchObject([{ state: 'delivered', attemptCount: 1 }])
    }
    expect(receiver.requests.map(messageIdOf).toSorted()).toEqual(sent.toSorted())
    for (const [index, messageId] of sent.entries()) {
      const request = receiver.requests.find((each) => messageIdOf(each) === messageId)
      expect(payloadOf(request!)).toEqual({ version: 1, ...CALLS[index]![1] })
    }
    const historical = receiver.requests.find((each) => messageIdOf(each) === sent[0])
    expect(JSON.parse(historical!.body.toString())).toMatchObject({ timestamp: past.toJSON() })
  })

  test.for([
    ['with batching', {}],
    ['without batching', { flushAt: 1 }],
  ] as const)(
    '%s, to a receiver that fails twice for each call: each is accepted once',
    async ([, options]) => {
      const attempts = new Map<string, number>()
      const accepted: string[] = []
      const failTwice: Respond = (request) => {
        const attempt = 1 + (attempts.get(messageIdOf(request)) ?? 0)
        attempts.set(messageIdOf(request), attempt)
        if (attempt <= 2) return 500
        accepted.push(messageIdOf(request))
        return 200
      }
      await using receiver = await openReceiver({ respond: verifying(failTwice) })
      await using service = await startService({ settings: { retryScheduleMs: '50,100' } })
      await service.createDestination({ urls: [receiver.url], secret: SECRET })
      const sent = await makeAllCalls(service, options)
      for (const messageId of sent) {
        expect((await service.endOf(messageId)).deliveries).toMatchObject([
          {
            state: 'delivered',
            attemptCount: 3,
            attempts: [{ status: 500 }, { status: 500 }, { status: 200 }],
          },
        ])
      }
      expect(accepted.toSorted()).toEqual(sent.toSorted())
      expect(receiver.requests).toHaveLength(3 * sent.length)
    },
  )

  test('reports an unknown write key and does not retry', async () => {
    await using service = await startService()
    const analytics = new Analytics({ writeKey: 'unknown', host: service.url, flushAt: 1 })
    const errors: unknown[] = []
    const requests: unknown[] = []
    analytics.on('error', (error) => errors.push(error))
    analytics.on('http_request', (request) => requests.push(request))
    analytics.track({ ...user, event: 'E' })
    await analytics.closeAndFlush()
    expect(errors).toHaveLength(1)
    expect(requests).toHaveLength(1)
    expect(await service.api.listAll('events')).toEqual([])
  })
})
