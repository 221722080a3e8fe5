import { expect, test } from 'vitest'
import { Proxy } from '@hookline/testing/network/proxy'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { startService } from '@hookline/testing/service/running-service'

test('with egressProxy, deliveries, test deliveries, replays and deletion notices use the proxy', async () => {
  await using proxy = await Proxy.open()
  // Each request needs a new connection.
  await using receiver = await openReceiver({
    respond: { status: 200, headers: { Connection: 'close' } },
  })
  await using service = await startService({ settings: { egressProxy: proxy.url('u:p') } })
  const id = await service.createDestination({ urls: [receiver.url] })
  const expectTunnels = (count: number): Promise<void> =>
    service.eventually(() => {
      expect(receiver.requests).toHaveLength(count)
      expect([proxy.requests.length, receiver.connections]).toEqual([count, count])
    })
  await service.track('m-1')
  await service.endOf('m-1')
  await expectTunnels(1)
  await service.api.call('POST', `destinations/${id}/test`, { type: 'track' })
  await expectTunnels(2)
  await service.api.call('POST', 'replays', { destinationId: id, states: ['delivered'] })
  await expectTunnels(3)
  await service.api.call('POST', 'deletions', { userIds: ['another user'] })
  await expectTunnels(4)
  expect(receiver.requests.at(-1)!.body.toString()).toContain('"type":"delete"')
  const { authorization, ...sent } = receiver.requests[0]!.headers
  expect([authorization, sent['proxy-authorization']]).toEqual([undefined, undefined])
})

test('while the proxy fails, events are pending, and the trace names the proxy as the cause', async () => {
  await using proxy = await Proxy.open({ behaviour: 407 })
  await using receiver = await openReceiver()
  await using service = await startService({
    settings: { egressProxy: proxy.url('u:p'), retryScheduleMs: '1500' },
  })
  await service.createDestination({ urls: [receiver.url] })
  await service.track('m-1')
  await service.eventually(async () => {
    const [delivery] = (await service.trace('m-1')).deliveries
    expect(delivery).toMatchObject({
      state: 'pending',
      attempts: [
        { class: 'proxy_failed', error: expect.stringContaining('egressProxy setting (407)') },
      ],
    })
  })
  expect(receiver.connections).toBe(0)
  proxy.behaviour = 'connect'
  expect((await service.endOf('m-1')).deliveries).toMatchObject([{ state: 'delivered' }])
})
