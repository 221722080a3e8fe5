import { describe, expect, test } from 'vitest'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { startService } from '@hookline/testing/service/running-service'

const OK = { status: 200, text: '{"success":true}' }
const call = (messageId: string) => ({ type: 'track', messageId, userId: 'u', event: 'E' })

describe.concurrent('a second call with the same messageId', () => {
  test('gets a 200, is not delivered, and is counted in the trace of the first call', async () => {
    await using receiver = await openReceiver()
    await using service = await startService()
    await service.createDestination({ urls: [receiver.url] })
    expect(await service.send('/v1/track', call('m-1'))).toMatchObject(OK)
    expect(await service.send('/v1/track', call('m-1'))).toMatchObject(OK)
    await service.track('m-2')
    await service.endOf('m-2')
    await service.eventually(async () =>
      expect(await service.endOf('m-1')).toMatchObject({
        duplicates: 1,
        decisions: [{ decision: 'deliver' }],
        deliveries: [{ state: 'delivered', attemptCount: 1 }],
      }),
    )
    expect(receiver.requests).toHaveLength(2)
  })

  test('is recognised within one batch, in a repeated batch, and in parallel requests', async () => {
    await using receiver = await openReceiver()
    await using service = await startService()
    await service.createDestination({ urls: [receiver.url] })
    const batch = { batch: [call('m-1'), call('m-2'), call('m-1'), call('m-3')] }
    const responses = await Promise.all([1, 2, 3, 4, 5].map(() => service.send('/v1/batch', batch)))
    for (const response of responses) expect(response).toMatchObject(OK)
    await service.eventually(async () => {
      const traces = await Promise.all(['m-1', 'm-2', 'm-3'].map((id) => service.endOf(id)))
      expect(traces.map(({ duplicates }) => duplicates)).toEqual([9, 4, 4])
    })
    const ids = receiver.requests.map(({ body }) => JSON.parse(body.toString()).messageId as string)
    expect(ids.toSorted()).toEqual(['m-1', 'm-2', 'm-3'])
  })

  test('is recognised after a restart', async () => {
    await using receiver = await openReceiver()
    await using service = await startService()
    await service.createDestination({ urls: [receiver.url] })
    await service.track('m-1')
    await service.endOf('m-1')
    await service.restart()
    await service.track('m-1')
    await service.track('m-2')
    await service.endOf('m-2')
    await service.eventually(async () =>
      expect(await service.trace('m-1')).toMatchObject({ duplicates: 1 }),
    )
    const ids = receiver.requests.map(({ body }) => JSON.parse(body.toString()).messageId as string)
    expect(ids).toEqual(['m-1', 'm-2'])
  })

  test('from another source is a separate event', async () => {
    await using receiver = await openReceiver()
    await using service = await startService()
    const source = await service.createSource()
    await service.createDestination({ urls: [receiver.url] })
    await service.createDestination({ urls: [receiver.url], source })
    expect(await service.send('/v1/track', call('m-1'))).toMatchObject(OK)
    expect(await service.send('/v1/track', call('m-1'), source)).toMatchObject(OK)
    const requests = await receiver.waitFor(2)
    expect(new Set(requests.map(({ headers }) => headers['webhook-id'])).size).toBe(2)
  })

  test('is a new event after the deduplication window', async () => {
    await using receiver = await openReceiver()
    await using service = await startService({ settings: { dedupeWindowMs: '0' } })
    await service.createDestination({ urls: [receiver.url] })
    await service.track('m-1')
    await service.endOf('m-1')
    await service.track('m-1')
    await receiver.waitFor(2)
  })
})
