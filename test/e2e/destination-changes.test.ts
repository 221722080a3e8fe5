import { describe, expect, test } from 'vitest'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { type RunningService, startService } from '@hookline/testing/service/running-service'
import type { TracedDelivery } from '@hookline/testing/service/trace'

/** Long enough to disable the destination before the second attempt on a slow machine. */
const NOT_YET_MS = '6000'

/** Waits until the only delivery of the event is parked after its first attempt. */
function parked(service: RunningService, messageId: string): Promise<TracedDelivery> {
  return service.eventually(async () => {
    const { deliveries } = await service.trace(messageId)
    expect(deliveries).toMatchObject([{ state: 'pending', nextAttemptAt: expect.any(String) }])
    return deliveries[0]!
  })
}

/** Waits until a moment after this time. */
function isPast(service: RunningService, time: string | null): Promise<void> {
  return service.eventually(() => expect(Date.now()).toBeGreaterThan(Date.parse(time!) + 150))
}

describe.concurrent('parked deliveries to a destination', () => {
  test('end immediately when it is removed, no matter when they are due, and are not sent again', async () => {
    await using receiver = await openReceiver({ respond: 500 })
    await using service = await startService({ settings: { retryScheduleMs: '3600000' } })
    const id = await service.createDestination({ urls: [receiver.url] })
    await service.track('m-1')
    await parked(service, 'm-1')
    await service.api.call('DELETE', `destinations/${id}`)
    expect(await service.endOf('m-1')).toMatchObject({
      decisions: [{ destinationId: id, decision: 'deliver' }],
      deliveries: [{ destinationId: id, state: 'rejected', nextAttemptAt: null }],
    })
    expect(receiver.requests).toHaveLength(1)
  })

  test('wait while it is disabled, and continue when it is enabled', async () => {
    await using receiver = await openReceiver({ respond: [500, 200] })
    await using service = await startService({ settings: { retryScheduleMs: NOT_YET_MS } })
    const id = await service.createDestination({ urls: [receiver.url] })
    await service.track('m-1')
    const { nextAttemptAt } = await parked(service, 'm-1')
    await service.api.call('PATCH', `destinations/${id}`, { enabled: false })
    await isPast(service, nextAttemptAt)
    expect(receiver.requests).toHaveLength(1)
    await service.api.call('PATCH', `destinations/${id}`, { enabled: true })
    expect((await service.endOf('m-1')).deliveries).toMatchObject([
      { state: 'delivered', attemptCount: 2 },
    ])
    expect(receiver.requests).toHaveLength(2)
  })

  test('wait while it is disabled, even after a restart', async () => {
    await using receiver = await openReceiver({ respond: [500, 200] })
    await using service = await startService({ settings: { retryScheduleMs: NOT_YET_MS } })
    const id = await service.createDestination({ urls: [receiver.url] })
    await service.track('m-1')
    const { nextAttemptAt } = await parked(service, 'm-1')
    await service.api.call('PATCH', `destinations/${id}`, { enabled: false })
    await service.restart()
    await isPast(service, nextAttemptAt)
    const { deliveries } = await service.trace('m-1')
    expect(deliveries[0]).toMatchObject({
      state: 'pending',
      webhooks: [{ waiting: { reason: 'destination_disabled', nextAttemptAt: null } }],
    })
    expect(receiver.requests).toHaveLength(1)
    await service.api.call('PATCH', `destinations/${id}`, { enabled: true })
    expect((await service.endOf('m-1')).deliveries).toMatchObject([
      { state: 'delivered', attemptCount: 2 },
    ])
  })

  test('go to its new URL, signed with its new secret', async () => {
    await using old = await openReceiver({ respond: 500 })
    await using next = await openReceiver()
    await using service = await startService({ settings: { retryScheduleMs: '1500' } })
    const id = await service.createDestination({ urls: [old.url], secret: 'old' })
    await service.track('m-1')
    await parked(service, 'm-1')
    await service.api.call('PATCH', `destinations/${id}`, {
      settings: { webhooks: [{ url: next.url }], sharedSecret: 'new' },
    })
    expect((await service.endOf('m-1')).deliveries).toMatchObject([{ state: 'delivered' }])
    expect(next.requests).toHaveLength(1)
    expect(next.requests[0]!.headers['webhook-id']).toBe(old.requests[0]!.headers['webhook-id'])
  })
})

test('a decision survives a restart: a declined event is not delivered afterwards', async () => {
  const gate = Promise.withResolvers<200>()
  await using slow = await openReceiver({ respond: () => gate.promise })
  await using receiver = await openReceiver()
  // With one attempt at a time, the second call is still pending when the service stops, so its entry is redelivered.
  await using service = await startService({ settings: { maxConcurrencyPerWebhook: '1' } })
  const off = await service.createDestination({ urls: [receiver.url], enabled: false })
  await service.createDestination({ urls: [slow.url] })
  const call = { type: 'page', userId: 'u' }
  const batch = ['m-1', 'm-2'].map((messageId) => ({ ...call, messageId }))
  await service.send('/v1/batch', { batch })
  await slow.waitFor(1)
  await service.api.call('PATCH', `destinations/${off}`, { enabled: true })
  const stopped = service.stop()
  gate.resolve(200)
  await stopped
  await service.start()
  for (const messageId of ['m-1', 'm-2']) {
    const { deliveries } = await service.endOf(messageId)
    expect(deliveries.map(({ destinationId }) => destinationId)).not.toContain(off)
  }
  expect(slow.requests).toHaveLength(2)
  expect(receiver.requests).toEqual([])
})
