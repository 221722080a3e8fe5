import { expect, describe, test } from 'vitest'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { startService } from '@hookline/testing/service/running-service'

const MINUTE = 60_000

describe.concurrent('the timestamp', () => {
  test.for([
    ['2015-02-03T04:05:06-0530', '2015-02-03T09:35:06.000Z'],
    [1_418_411_099_123, '2014-12-12T19:04:59.123Z'],
  ] as const)('of a historical call is kept: %s arrives as %s', async ([sent, arrives]) => {
    await using receiver = await openReceiver()
    await using service = await startService()
    await service.createDestination({ urls: [receiver.url] })
    const sentAt = new Date(Date.now() - 5 * MINUTE).toISOString()
    await service.track('m-1', { timestamp: sent, sentAt })
    const [request] = await receiver.waitFor(1)
    expect(JSON.parse(request!.body.toString()).timestamp).toBe(arrives)
    expect((await service.endOf('m-1')).event).toMatchObject({
      timestamp: arrives,
      originalTimestamp: String(sent),
    })
  })

  test('is the time of receipt if the call has no timestamp', async () => {
    await using receiver = await openReceiver()
    await using service = await startService()
    await service.createDestination({ urls: [receiver.url] })
    const before = Date.now()
    await service.track('m-1')
    const after = Date.now()
    const [request] = await receiver.waitFor(1)
    const { timestamp } = JSON.parse(request!.body.toString()) as { timestamp: string }
    expect(timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(Date.parse(timestamp)).toBeGreaterThanOrEqual(before)
    expect(Date.parse(timestamp)).toBeLessThanOrEqual(after)
    expect((await service.endOf('m-1')).receivedAt).toBe(timestamp)
  })

  test("is corrected by the skew of the client's clock", async () => {
    await using receiver = await openReceiver()
    await using service = await startService()
    await service.createDestination({ urls: [receiver.url] })
    const client = Date.now() - 24 * 60 * MINUTE
    const sentAt = new Date(client).toISOString()
    await service.track('m-1', { timestamp: new Date(client - 1_000).toISOString(), sentAt })
    const [request] = await receiver.waitFor(1)
    const { timestamp } = JSON.parse(request!.body.toString()) as { timestamp: string }
    const { receivedAt } = await service.endOf('m-1')
    expect(Date.parse(timestamp)).toBe(Date.parse(receivedAt) - 1_000)
  })
})
