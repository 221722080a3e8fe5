import { describe, expect, test } from 'vitest'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { startService } from '@hookline/testing/service/running-service'
import type { TracedAttempt } from '@hookline/testing/service/trace'

const startOf = ({ startedAt }: TracedAttempt): number => Date.parse(startedAt)
const endOf = (attempt: TracedAttempt): number => startOf(attempt) + attempt.durationMs

describe.concurrent('a slow receiver', () => {
  test('that misses the deadline causes a recorded timeout and a retry', async () => {
    await using receiver = await openReceiver({ respond: ['silence', 200] })
    await using service = await startService({
      settings: { attemptTimeoutMs: '1000', retryScheduleMs: '300' },
    })
    const destinationId = await service.createDestination({ urls: [receiver.url] })
    await service.track('m-1')
    const { deliveries, decisions } = await service.endOf('m-1')

    expect(decisions).toMatchObject([{ destinationId, decision: 'deliver', reason: null }])
    const [delivery] = deliveries
    expect(delivery).toMatchObject({ state: 'delivered', attemptCount: 2, nextAttemptAt: null })
    const [first, second] = delivery!.attempts
    expect(first).toMatchObject({ number: 1, class: 'timeout', outcome: 'retry' })
    expect(first!.durationMs).toBeGreaterThan(990)
    expect(second).toMatchObject({ number: 2, class: 'delivered', status: 200 })
    expect(startOf(second!)).toBeGreaterThanOrEqual(endOf(first!) + 290)
    expect(service.logLines).toContainEqual(
      expect.objectContaining({
        msg: 'webhook.failing',
        destinationId,
        webhook: new URL(receiver.url).host,
        class: 'timeout',
      }),
    )
    expect(receiver.requests.map(({ body }) => body.toString())).toEqual(
      Array(2).fill(receiver.requests[0]!.body.toString()),
    )
  })

  test('receives the delivery in one attempt if it responds before the deadline', async () => {
    const { promise: answered, resolve: answer } = Promise.withResolvers<200>()
    await using receiver = await openReceiver({ respond: () => answered })
    await using service = await startService()
    await service.createDestination({ urls: [receiver.url] })
    await service.track('m-1')
    await receiver.waitFor(1)
    expect((await service.trace('m-1')).deliveries).toEqual([])
    answer(200)
    const { deliveries } = await service.endOf('m-1')
    expect(deliveries).toMatchObject([{ state: 'delivered', attemptCount: 1 }])
  })

  test('does not delay other destinations', async () => {
    await using silent = await openReceiver({ respond: 'silence' })
    await using healthy = await openReceiver()
    await using service = await startService({ settings: { attemptTimeoutMs: '60000' } })
    const silentId = await service.createDestination({ urls: [silent.url] })
    const healthyId = await service.createDestination({ urls: [healthy.url] })
    for (let index = 0; index < 20; index++) await service.track(`m-${index}`)
    await healthy.waitFor(20)
    await service.eventually(async () => {
      const { deliveries } = await service.trace('m-19')
      const healthyOnes = deliveries.filter(({ destinationId }) => destinationId === healthyId)
      expect(healthyOnes).toMatchObject([{ state: 'delivered' }])
    })
    // No attempt to the silent receiver has ended yet.
    const { deliveries } = await service.trace('m-0')
    const silentOnes = deliveries.filter(({ destinationId }) => destinationId === silentId)
    expect(silentOnes.flatMap(({ attempts }) => attempts)).toEqual([])
    // Attempts in flight end when the receiver closes their connections.
    await silent[Symbol.asyncDispose]()
  })
})

describe.concurrent('a receiver that responds with 5xx', () => {
  test('gets retries until the retry window ends, and then the delivery expires', async () => {
    await using receiver = await openReceiver({ respond: 503 })
    await using service = await startService({
      settings: { retryScheduleMs: '100,300', retryWindowMs: '3600000' },
    })
    await service.createDestination({ urls: [receiver.url] })
    await service.track('m-1')
    // The window is shortened only after four attempts, which may take a long time on a slow machine.
    await receiver.waitFor(4)
    await service.restart({ retryWindowMs: '1500' })
    const { deliveries } = await service.endOf('m-1')
    const [{ attempts, ...delivery }] = deliveries as [(typeof deliveries)[0]]
    expect(delivery).toMatchObject({ state: 'expired', nextAttemptAt: null })
    // The last attempt is in the final tenth of the window.
    expect(Date.now() - Date.parse(delivery.firstDueAt)).toBeGreaterThan(1_300)
    expect(attempts.length).toBeGreaterThanOrEqual(4)
    expect(new Set(attempts.map((attempt) => attempt.class))).toEqual(new Set(['http_5xx']))
    expect(receiver.requests).toHaveLength(attempts.length)
    const numbers = receiver.requests.map(({ headers }) => Number(headers['x-hookline-attempt']))
    expect(numbers).toEqual(attempts.map((_, index) => index + 1))
  })

  test('gets the same request on retry', async () => {
    await using receiver = await openReceiver({ respond: [502, 502, 204] })
    await using service = await startService({ settings: { retryScheduleMs: '20' } })
    await service.createDestination({ urls: [receiver.url], secret: 's' })
    await service.track('m-1')
    const { deliveries } = await service.endOf('m-1')
    expect(deliveries).toMatchObject([{ state: 'delivered', attemptCount: 3 }])
    expect(deliveries[0]!.attempts).toMatchObject([
      { status: 502 },
      { status: 502 },
      { status: 204 },
    ])
    const same = receiver.requests.map(({ headers, body }) => [
      headers['webhook-id'],
      headers['x-signature'],
      body.toString(),
    ])
    expect(same).toEqual(Array(3).fill(same[0]))
  })

  test('delays the next attempt by the documented 5 s, and the trace shows its time', async () => {
    await using receiver = await openReceiver({ respond: 500 })
    await using service = await startService()
    const destinationId = await service.createDestination({ urls: [receiver.url] })
    await service.track('m-1')
    const { decisions, deliveries } = await service.eventually(async () => {
      const trace = await service.trace('m-1')
      expect(trace.deliveries).toMatchObject([{ state: 'pending', attemptCount: 1 }])
      return trace
    })
    expect(decisions).toMatchObject([{ destinationId, decision: 'deliver' }])
    const [{ attempts, nextAttemptAt }] = deliveries as [(typeof deliveries)[0]]
    const waitMs = Date.parse(nextAttemptAt!) - endOf(attempts[0]!)
    expect(waitMs).toBeGreaterThanOrEqual(3_750)
    expect(waitMs).toBeLessThan(7_500)
  })
})

describe.concurrent('the response', () => {
  test('404 is final: the delivery is rejected', async () => {
    await using receiver = await openReceiver({ respond: [404, 200] })
    await using service = await startService({ settings: { retryScheduleMs: '0' } })
    await service.createDestination({ urls: [receiver.url] })
    await service.track('m-1')
    const { deliveries } = await service.endOf('m-1')
    expect(deliveries).toMatchObject([
      { state: 'rejected', attemptCount: 1, attempts: [{ class: 'http_4xx', status: 404 }] },
    ])
    expect(receiver.requests).toHaveLength(1)
  })

  test('307 is never followed', async () => {
    await using target = await openReceiver()
    await using receiver = await openReceiver({
      respond: { status: 307, headers: { Location: target.url } },
    })
    await using service = await startService({ settings: { retryScheduleMs: '0' } })
    await service.createDestination({ urls: [receiver.url] })
    await service.track('m-1')
    const { deliveries } = await service.endOf('m-1')
    expect(deliveries).toMatchObject([{ state: 'rejected', attempts: [{ class: 'redirect' }] }])
    expect(receiver.requests).toHaveLength(1)
    expect(target.connections).toBe(0)
  })
})

describe.concurrent('Retry-After', () => {
  test.for([
    [429, (): string => '1'],
    // A date has a resolution of one second, so the delay may be up to one second shorter.
    [503, (): string => new Date(Date.now() + 2_000).toUTCString()],
  ] as const)('of a %i is respected', async ([status, header]) => {
    await using receiver = await openReceiver({
      respond: (_request, index) =>
        index === 0 ? { status, headers: { 'Retry-After': header() } } : 200,
    })
    await using service = await startService({ settings: { retryScheduleMs: '10' } })
    await service.createDestination({ urls: [receiver.url] })
    await service.track('m-1')
    const { deliveries } = await service.endOf('m-1')
    expect(deliveries).toMatchObject([{ state: 'delivered', attemptCount: 2 }])
    const [first, second] = deliveries[0]!.attempts
    expect(startOf(second!) - startOf(first!)).toBeGreaterThanOrEqual(990)
  })

  test('applies to all deliveries to that webhook', async () => {
    await using receiver = await openReceiver({
      respond: [{ status: 429, headers: { 'Retry-After': '1' } }, 200],
    })
    await using service = await startService({ settings: { retryScheduleMs: '10' } })
    await service.createDestination({ urls: [receiver.url] })
    await service.track('m-1')
    const first = await service.eventually(async () => {
      const { deliveries } = await service.trace('m-1')
      expect(deliveries).toMatchObject([{ attemptCount: 1 }])
      return deliveries[0]!.attempts[0]!
    })
    await service.track('m-2')
    const { deliveries } = await service.endOf('m-2')
    expect(deliveries).toMatchObject([{ state: 'delivered', attemptCount: 1 }])
    expect(startOf(deliveries[0]!.attempts[0]!)).toBeGreaterThanOrEqual(startOf(first) + 990)
    await service.endOf('m-1')
  })
})

test('the service does not connect to a forbidden address, and holds the delivery', async () => {
  await using receiver = await openReceiver()
  await using service = await startService({ settings: { allowedNetworks: '' } })
  await service.createDestination({ urls: [receiver.url] })
  await service.track('m-1')
  const { deliveries } = await service.eventually(async () => {
    const trace = await service.trace('m-1')
    expect(trace.deliveries).toMatchObject([{ state: 'held' }])
    return trace
  })
  // A retry may start before the webhook is paused.
  const classes = deliveries.flatMap(({ attempts }) => attempts.map((attempt) => attempt.class))
  expect(new Set(classes)).toEqual(new Set(['address_forbidden']))
  expect(receiver.connections).toBe(0)
})
