import { describe, expect, test } from 'vitest'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { exchange } from '@hookline/testing/network/http-exchange'
import { type RunningService, startService } from '@hookline/testing/service/running-service'

async function gauges(service: RunningService): Promise<Record<string, number>> {
  const { text } = await exchange(`${service.url}/metrics`, { method: 'GET' })
  const lines = text.split('\n').filter((line) => line.startsWith('hookline_'))
  return Object.fromEntries(
    lines.map((line) => {
      const [name = '', value] = line.split(' ')
      return [name, Number(value)] as const
    }),
  )
}

describe.concurrent('an operator', () => {
  test('pauses a destination, which holds its deliveries, and resumes it', async () => {
    await using receiver = await openReceiver()
    await using service = await startService()
    const id = await service.createDestination({ urls: [receiver.url] })
    await service.api.call('POST', `destinations/${id}/pause`)
    await service.track('m-1')
    const { decisions } = await service.endOf('m-1')
    expect(decisions).toMatchObject([{ decision: 'deliver' }])
    expect(await gauges(service)).toMatchObject({
      'hookline_deliveries{state="held"}': 1,
      'hookline_deliveries{state="pending"}': 0,
      hookline_accounting_imbalance: 0,
      hookline_quarantined: 0,
    })
    expect(receiver.requests).toHaveLength(0)
    await service.api.call('POST', `destinations/${id}/resume`)
    await receiver.waitFor(1)
    await service.eventually(async () => {
      expect((await service.trace('m-1')).deliveries).toMatchObject([{ state: 'delivered' }])
    })
  })

  test('replays rejected deliveries and events declined while the destination was disabled, even after a restart', async () => {
    await using receiver = await openReceiver({ respond: 400 })
    await using service = await startService()
    const id = await service.createDestination({ urls: [receiver.url] })
    await service.track('m-1')
    await service.endOf('m-1')
    await service.api.call('PATCH', `destinations/${id}`, { enabled: false })
    await service.track('m-2')
    await service.endOf('m-2')
    await service.api.call('PATCH', `destinations/${id}`, { enabled: true })
    receiver.respond = () => 200
    const wanted = { destinationId: id, includeDeclined: true, ratePerSecond: 1 }
    await service.eventually(async () => {
      const counted = await service.api.call('POST', 'replays', { ...wanted, dryRun: true })
      expect(counted).toEqual({ dryRun: true, matches: 2 })
    })
    const replay = await service.api.call<{ id: string }>('POST', 'replays', wanted)
    await service.restart()
    await service.eventually(async () => {
      const shown = await service.api.call('GET', `replays/${replay.id}`)
      expect(shown).toMatchObject({ state: 'finished', requeued: 2, delivered: 2, failed: 0 })
    })
    for (const messageId of ['m-1', 'm-2']) {
      expect((await service.endOf(messageId)).deliveries).toMatchObject([{ state: 'delivered' }])
    }
    const [, ...replayed] = receiver.requests
    expect(replayed.map(({ headers }) => headers['x-hookline-replay'])).toEqual([
      replay.id,
      replay.id,
    ])
  })

  test('retries one delivery immediately', async () => {
    await using receiver = await openReceiver({ respond: [400, 200] })
    await using service = await startService()
    await service.createDestination({ urls: [receiver.url] })
    await service.track('m-1')
    const { deliveries } = await service.endOf('m-1')
    await service.api.call('POST', `deliveries/${deliveries[0]!.id}/retry`)
    await service.eventually(async () => {
      expect((await service.trace('m-1')).deliveries).toMatchObject([{ state: 'delivered' }])
    })
    expect(receiver.requests).toHaveLength(2)
  })
})
