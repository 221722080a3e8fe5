import { describe, expect, test } from 'vitest'
import { openReceiver, type Receiver } from '@hookline/testing/receiver/receiver'
import { startService } from '@hookline/testing/service/running-service'

const idsAt = (receiver: Receiver): string[] =>
  receiver.requests.map(({ body }) => JSON.parse(body.toString()).messageId as string)
const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `m-${index}`)

describe.concurrent('a restart', () => {
  test('keeps parked deliveries, which continue with the same id', async () => {
    await using receiver = await openReceiver({ respond: 503 })
    await using service = await startService({ settings: { retryScheduleMs: '400' } })
    await service.createDestination({ urls: [receiver.url], secret: 's' })
    for (const name of names(5)) await service.track(name)
    await service.eventually(async () => {
      const traces = await Promise.all(names(5).map((name) => service.trace(name)))
      for (const { deliveries } of traces) expect(deliveries).toMatchObject([{ state: 'pending' }])
    })
    await service.restart()
    receiver.respond = () => 200
    for (const name of names(5)) {
      const { deliveries, decisions } = await service.endOf(name)
      expect(decisions).toMatchObject([{ decision: 'deliver' }])
      expect(deliveries).toMatchObject([{ state: 'delivered' }])
      const sent = receiver.requests.filter(({ body }) => body.includes(`"${name}"`))
      expect(sent).toHaveLength(deliveries[0]!.attemptCount)
      expect(new Set(sent.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
      expect(sent.map(({ headers }) => headers['x-hookline-attempt'])).toEqual(
        sent.map((_, index) => String(index + 1)),
      )
    }
  })

  test('keeps sources, keys, destinations and the history of events', async () => {
    await using receiver = await openReceiver()
    await using service = await startService()
    await service.createDestination({ urls: [receiver.url], secret: 's', policy: 'each' })
    await service.track('m-1')
    const before = [await service.endOf('m-1'), await service.api.listAll('destinations')]
    await service.restart()
    expect([await service.endOf('m-1'), await service.api.listAll('destinations')]).toEqual(before)
    await service.track('m-2')
    await service.endOf('m-2')
    expect(idsAt(receiver)).toEqual(['m-1', 'm-2'])
  })
})

describe.concurrent('a graceful stop', () => {
  test('completes the attempts in flight and keeps pending deliveries: each event arrives exactly once', async () => {
    const gate = Promise.withResolvers<200>()
    await using receiver = await openReceiver({ respond: () => gate.promise })
    await using service = await startService({ settings: { maxConcurrencyPerWebhook: '4' } })
    await service.createDestination({ urls: [receiver.url] })
    const batch = names(40).map((messageId) => ({ type: 'page', userId: 'u', messageId }))
    await service.send('/v1/batch', { batch: batch.slice(0, 20) })
    await service.send('/v1/batch', { batch: batch.slice(20) })
    await receiver.waitFor(4)
    const stopped = service.stop()
    gate.resolve(200)
    await stopped

    await service.start()
    for (const name of names(40)) {
      expect((await service.endOf(name)).deliveries).toMatchObject([
        { state: 'delivered', attemptCount: 1 },
      ])
    }
    expect(idsAt(receiver).toSorted()).toEqual(names(40).toSorted())
  })

  test('aborts attempts after shutdownTimeoutMs, and repeats them with the same number after the restart', async () => {
    await using receiver = await openReceiver({ respond: [503, 'silence'] })
    const settings = { shutdownTimeoutMs: '200', attemptTimeoutMs: '60000', retryScheduleMs: '1' }
    await using service = await startService({ settings })
    const dying = await service.createDestination({ urls: [receiver.url] })
    await service.track('m-1')
    await receiver.waitFor(2)
    await service.createDestination({ urls: [`${receiver.url}/fresh`] })
    await service.api.call('PATCH', `destinations/${dying}`, { enabled: false })
    await service.track('m-2')
    await service.api.call('POST', 'deletions', { userIds: ['another user'] })
    await receiver.waitFor(4)
    await service.stop()
    expect(service.logLines.filter(({ msg }) => msg !== 'webhook.failing')).toEqual([])
    expect(service.logLines).toHaveLength(1)

    receiver.respond = () => 200
    await service.start()
    await service.api.call('PATCH', `destinations/${dying}`, { enabled: true })
    const requests = await service.eventually(() => {
      expect(receiver.requests).toHaveLength(7)
      return receiver.requests
    })
    expect((await service.endOf('m-1')).deliveries).toMatchObject([{ attemptCount: 2 }])
    expect((await service.endOf('m-2')).deliveries).toMatchObject([{ attemptCount: 1 }])
    const sent = requests.map(({ body, headers, path }) => {
      const { messageId = 'notice' } = JSON.parse(body.toString()) as { messageId?: string }
      return `${path} ${messageId} ${String(headers['x-hookline-attempt'])}`
    })
    expect(sent.slice(4).toSorted()).toEqual(sent.slice(1, 4).toSorted())
  })

  test('loses no call with a 200', async () => {
    await using receiver = await openReceiver()
    await using service = await startService()
    await service.createDestination({ urls: [receiver.url] })
    const responses = names(200).map(async (name) => {
      try {
        return [name, (await service.send('/v1/page', { messageId: name, userId: 'u' })).status]
      } catch {
        // The service had stopped accepting connections.
        return [name, 0]
      }
    })
    await receiver.waitFor(10)
    await service.stop()
    const accepted = (await Promise.all(responses)).filter(([, status]) => status === 200)
    expect(accepted.length).toBeGreaterThanOrEqual(10)
    await service.start()
    for (const [name] of accepted) {
      expect((await service.endOf(String(name))).deliveries).toMatchObject([{ state: 'delivered' }])
    }
    const delivered = idsAt(receiver)
    expect(new Set(delivered).size).toBe(delivered.length)
    expect(delivered).toEqual(expect.arrayContaining(accepted.map(([name]) => name)))
  })
})
