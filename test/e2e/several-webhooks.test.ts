import { describe, expect, test } from 'vitest'
import { openReceiver, type Receiver } from '@hookline/testing/receiver/receiver'
import { startService } from '@hookline/testing/service/running-service'

const settings = { retryScheduleMs: '50' }
const counts = (...receivers: Receiver[]): number[] =>
  receivers.map(({ requests }) => requests.length)

describe.concurrent('several webhooks of one destination', () => {
  test('are all attempted first, and not retried once one has accepted the event', async () => {
    await using healthy = await openReceiver()
    // The failing receivers respond only after the healthy one has got the event: otherwise, a
    // retry could start before it is accepted.
    const after = (status: number) => async (_: unknown, index: number) => {
      await healthy.waitFor(index + 1)
      return status
    }
    await using failing = await openReceiver({ respond: after(500) })
    await using throttling = await openReceiver({ respond: after(429) })
    await using service = await startService({ settings })
    await service.createDestination({ urls: [failing.url, healthy.url, throttling.url] })
    await service.track('m-1')
    const { deliveries } = await service.endOf('m-1')
    expect(deliveries).toMatchObject([{ state: 'delivered', attemptCount: 1, nextAttemptAt: null }])
    const outcomes = deliveries[0]!.attempts.map(({ url, outcome }) => [url, outcome])
    expect(Object.fromEntries(outcomes)).toEqual({
      [failing.url]: 'retry',
      [healthy.url]: 'delivered',
      [throttling.url]: 'retry',
    })
    // A retry would happen before the delivery of a second event.
    await service.track('m-2')
    await service.endOf('m-2')
    expect(counts(failing, healthy, throttling)).toEqual([2, 2, 2])
  })

  test('that all fail are retried, unless they rejected the event', async () => {
    await using refusing = await openReceiver({ respond: 400 })
    await using recovering = await openReceiver({ respond: [500, 500, 200] })
    await using service = await startService({ settings })
    await service.createDestination({ urls: [refusing.url, recovering.url] })
    await service.track('m-1')
    expect((await service.endOf('m-1')).deliveries).toMatchObject([
      { state: 'delivered', attemptCount: 3 },
    ])
    expect(counts(refusing, recovering)).toEqual([1, 3])
  })

  test('that all reject the event cause the delivery to be rejected', async () => {
    await using gone = await openReceiver({ respond: 410 })
    await using refusing = await openReceiver({ respond: 400 })
    await using service = await startService({ settings })
    await service.createDestination({ urls: [gone.url, refusing.url] })
    await service.track('m-1')
    expect((await service.endOf('m-1')).deliveries).toMatchObject([
      { state: 'rejected', attemptCount: 1 },
    ])
    expect(counts(gone, refusing)).toEqual([1, 1])
  })

  test('with the policy `each` are retried separately until all have accepted the event', async () => {
    await using healthy = await openReceiver()
    await using recovering = await openReceiver({ respond: [503, 503, 200] })
    await using service = await startService({ settings })
    await service.createDestination({ urls: [healthy.url, recovering.url], policy: 'each' })
    await service.track('m-1')
    expect((await service.endOf('m-1')).deliveries).toMatchObject([
      { state: 'delivered', attemptCount: 3 },
    ])
    expect(counts(healthy, recovering)).toEqual([1, 3])
    const ids = [...healthy.requests, ...recovering.requests].map(
      ({ headers }) => headers['webhook-id'],
    )
    expect(new Set(ids).size).toBe(1)
  })

  test('with the policy `each` cause the delivery to be rejected if one rejects the event, even if the other accepted it', async () => {
    await using healthy = await openReceiver()
    await using refusing = await openReceiver({ respond: 403 })
    await using service = await startService({ settings })
    await service.createDestination({ urls: [healthy.url, refusing.url], policy: 'each' })
    await service.track('m-1')
    expect((await service.endOf('m-1')).deliveries).toMatchObject([{ state: 'rejected' }])
    expect(counts(healthy, refusing)).toEqual([1, 1])
  })

  test('may be five with five static headers each, and receive only their own headers', async () => {
    await using stack = new AsyncDisposableStack()
    const receivers: Receiver[] = []
    for (let index = 0; index < 5; index++) receivers.push(stack.use(await openReceiver()))
    await using service = await startService()
    const webhooks = receivers.map(({ url }, index) => ({ url, headers: fiveHeaders(index) }))
    await service.createDestination({ webhooks })
    await service.track('m-1')
    expect((await service.endOf('m-1')).deliveries).toMatchObject([
      { state: 'delivered', attemptCount: 1 },
    ])
    expect(counts(...receivers)).toEqual([1, 1, 1, 1, 1])
    for (const [index, { requests }] of receivers.entries()) {
      const lowered = Object.entries(fiveHeaders(index)).map(([name, value]) => [
        name.toLowerCase(),
        value,
      ])
      expect(requests[0]!.headers).toMatchObject(Object.fromEntries(lowered))
    }
  })
})

test('a destination with a sixth webhook is refused, and nothing is stored', async () => {
  await using service = await startService()
  const webhooks = [1, 2, 3, 4, 5, 6].map((n) => ({ url: `https://receiver.example/${n}` }))
  const { status, text } = await service.api.request('POST', 'destinations', {
    sourceId: service.source.id,
    type: 'Webhooks',
    settings: { webhooks },
  })
  expect(status).toBe(422)
  expect(JSON.parse(text)).toMatchObject({
    code: 'invalid_body',
    errors: [{ pointer: '/settings/webhooks' }],
  })
  expect(await service.api.listAll('destinations')).toEqual([])
})

function fiveHeaders(webhook: number): Record<string, string> {
  const header = (index: number): [string, string] => [`X-Static-${index}`, `${webhook}.${index}`]
  return { Authorization: `Bearer ${webhook}`, ...Object.fromEntries([1, 2, 3, 4].map(header)) }
}
