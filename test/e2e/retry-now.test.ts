import { describe, expect, test } from 'vitest'
import { openReceiver, type Receiver } from '@hookline/testing/receiver/receiver'
import { type RunningService, startService } from '@hookline/testing/service/running-service'
import {
  healthOf,
  hookline,
  openBreaker,
  RETRY_SOON,
  sendBatch,
} from '@hookline/testing/service/waiting'

const WAITING = Array.from({ length: 20 }, (_, index) => `waiting-${index}`)
/** Far longer than the delivery of all events takes. */
const MIN_OPEN_MS = 15_000

interface RetryContext {
  readonly service: RunningService
  readonly id: string
  readonly url: string
}

type RetryAction = (pushed: RetryContext) => Promise<unknown>

const post =
  (...actions: readonly string[]): RetryAction =>
  async ({ service, id }) => {
    for (const action of actions) await service.api.call('POST', `destinations/${id}/${action}`, {})
  }

const RETRY_ACTIONS: readonly (readonly [string, RetryAction])[] = [
  [
    'a test that succeeds',
    async ({ service, id }) => {
      const path = `destinations/${id}/test`
      const tested = await service.api.call('POST', path, { type: 'track' })
      expect(tested).toMatchObject({ webhooks: [{ attempt: { class: 'delivered' } }] })
    },
  ],
  ['resume', post('resume')],
  ['pause and resume', post('pause', 'resume')],
  [
    'a change to the webhook',
    ({ service, id, url }) => {
      const settings = { webhooks: [{ url, headers: { 'X-Mended': 'yes' } }] }
      return service.api.call('PATCH', `destinations/${id}`, { settings })
    },
  ],
  [
    'a retry of one delivery',
    async ({ service }) => {
      const { deliveries } = await service.trace(WAITING[7]!)
      await service.api.call('POST', `deliveries/${deliveries[0]!.id}/retry`, {})
    },
  ],
  [
    'close-breaker',
    async ({ service, id }) => {
      expect(await hookline(service, 'destinations', 'close-breaker', id)).toMatchObject({
        code: 0,
      })
    },
  ],
]

describe.concurrent('while the breaker is open and the receiver has recovered', () => {
  test.for(RETRY_ACTIONS)('%s delivers the backlog within seconds', async ([, retryNow]) => {
    await using receiver = await openReceiver({ respond: 503 })
    await using service = await startService({ settings: RETRY_SOON })
    const id = await service.createDestination({ urls: [receiver.url] })
    const openUntil = await openBreaker(service, id, { minOpenMs: MIN_OPEN_MS })
    await sendBatch(service, WAITING)
    await service.eventually(async () =>
      expect(await healthOf(service, id)).toMatchObject({ breaker: 'open', pending: 30 }),
    )
    const before = receiver.requests.length
    receiver.respond = () => 200
    await retryNow({ service, id, url: receiver.url })
    await service.eventually(() => expect(missing(receiver, before)).toEqual([]))
    expect(Date.now()).toBeLessThan(openUntil)
    expect(await healthOf(service, id)).toMatchObject({ breaker: 'closed' })
  })
})

/** The pending events that are not among the requests after the first `since` ones. */
function missing({ requests }: Receiver, since: number): string[] {
  const arrived = requests
    .slice(since)
    .map(({ body }) => (JSON.parse(body.toString()) as { messageId: string }).messageId)
  return WAITING.filter((each) => !arrived.includes(each))
}

const LATER = { status: 429, headers: { 'Retry-After': '3600' } }

test.concurrent.for([
  ['delayed it with Retry-After', LATER],
  ['failed, with the retry due much later', 503],
] as const)(
  'close-breaker makes the next attempt immediately, even if the receiver %s',
  async ([, respond]) => {
    await using receiver = await openReceiver({ respond: [respond, 200] })
    await using service = await startService({ settings: { retryScheduleMs: '600000' } })
    const id = await service.createDestination({ urls: [receiver.url] })
    await service.track('m-1')
    await service.eventually(async () =>
      expect(await healthOf(service, id)).toMatchObject({ pending: 1 }),
    )
    await service.api.call('POST', `destinations/${id}/close-breaker`, {})
    await service.eventually(async () =>
      expect((await service.trace('m-1')).deliveries).toMatchObject([{ state: 'delivered' }]),
    )
  },
)
