import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openReceiver, type Receiver } from '@hookline/testing/receiver/receiver'
import { type RunningService, startService } from '@hookline/testing/service/running-service'

const ORDERS = {
  or: [
    { event: 'Order *', where: [{ property: 'revenue', op: '>=', value: 100 }] },
    { type: 'identify' },
  ],
}

describe('a destination with a filter', () => {
  let receiver: Receiver
  let service: RunningService
  let id: string

  beforeAll(async () => {
    receiver = await openReceiver()
    service = await startService()
    id = await service.createDestination({ urls: [receiver.url] })
    await service.api.call('PATCH', `destinations/${id}`, { settings: { filter: ORDERS } })
    await service.track('m-1', { event: 'Order Completed', properties: { revenue: 100 } })
    await service.track('m-2', { event: 'Order Completed', properties: { revenue: 39.95 } })
    await service.endOf('m-1')
    await service.endOf('m-2')
  })
  afterAll(async () => {
    await service[Symbol.asyncDispose]()
    await receiver[Symbol.asyncDispose]()
  })

  test('gets the selected events, and the trace of an excluded event explains why it was not sent', async () => {
    expect(receiver.requests.map(({ body }) => JSON.parse(body.toString()).messageId)).toEqual([
      'm-1',
    ])
    const { decisions } = await service.trace('m-2')
    expect(decisions).toMatchObject([{ decision: 'declined', reason: 'filtered' }])
    expect(decisions[0]).toMatchObject({
      explanation: expect.stringContaining('/or/0/where/0: revenue is 39.95; required: >= 100'),
    })
  })

  test('has a preview of its filter with the most recent events', async () => {
    const filter = { where: [{ property: 'revenue', op: '<', value: 100 }] }
    const preview = await service.api.call('POST', `destinations/${id}/filter-preview`, { filter })
    expect(preview).toMatchObject({
      examined: 2,
      selected: 1,
      byName: [{ type: 'track', event: 'Order Completed', examined: 2, selected: 1 }],
      selectedExamples: [{ event: 'Order Completed' }],
      excludedExamples: [{ reasons: ['/where/0: revenue is 100; required: < 100'] }],
    })
    const current = await service.api.call('POST', `destinations/${id}/filter-preview`, { last: 1 })
    expect(current).toMatchObject({ examined: 1, selected: 0 })
  })

  test('gets a declined event from a replay once its filter is removed', async () => {
    const replay = { destinationId: id, includeDeclined: true }
    const count = () => service.api.call('POST', 'replays', { ...replay, dryRun: true })
    expect(await count()).toEqual({ dryRun: true, matches: 0 })
    await service.api.call('PATCH', `destinations/${id}`, { settings: { filter: null } })
    expect(await count()).toEqual({ dryRun: true, matches: 1 })
    await service.api.call('POST', 'replays', replay)
    await receiver.waitFor(2)
    expect(JSON.parse(receiver.requests[1]!.body.toString())).toMatchObject({ messageId: 'm-2' })
  })

  test('with a sample rate of 0, gets only deletion notices', async () => {
    const before = receiver.requests.length
    const settings = { sample: { rate: 0 } }
    await service.api.call('PATCH', `destinations/${id}`, { settings })
    await service.track('m-3')
    const { decisions } = await service.endOf('m-3')
    expect(decisions).toMatchObject([{ decision: 'declined', reason: 'sampled' }])
    await service.api.call('POST', 'deletions', { userIds: ['u9'] })
    await receiver.waitFor(before + 1)
    expect(JSON.parse(receiver.requests[before]!.body.toString())).toMatchObject({ type: 'delete' })
  })
})
