import { expect, test } from 'vitest'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { startService } from '@hookline/testing/service/running-service'

/** A call whose JSON would be changed by most ways to parse and serialise it: order, numbers, escapes, Unicode. */
const CALL = {
  type: 'track',
  messageId: 'm-1',
  userId: 'ü-\u2028-😀',
  event: 'Order "Completed"\\\u0000',
  properties: { z: 1e21, a: -0, '10': 'ten', '9': 'nine', nested: [null, [], {}, 0.1, 'é'] },
  context: { integrations: 'no', library: { name: 'x' } },
  integrations: { All: true },
  unknown: { stays: 'here' },
}

test('an event has the same bytes and webhook-id on the first attempt, on a retry, after a restart, on a manual retry and in a replay', async () => {
  await using receiver = await openReceiver({ respond: [503, 503, 400, 400, 200] })
  await using service = await startService({ settings: { retryScheduleMs: '300' } })
  const destinationId = await service.createDestination({ urls: [receiver.url], secret: 's' })
  await service.send('/v1/batch', { batch: [CALL] })
  await receiver.waitFor(1)
  await service.restart()
  const rejected = async (rounds: number): Promise<string> => {
    let id = ''
    await service.eventually(async () => {
      const { deliveries } = await service.trace('m-1')
      expect(deliveries).toMatchObject([{ state: 'rejected' }])
      expect(receiver.requests.length).toBeGreaterThanOrEqual(rounds)
      id = deliveries[0]!.id
    })
    return id
  }
  const id = await rejected(3)
  await service.api.call('POST', `deliveries/${id}/retry`)
  await receiver.waitFor(4)
  await rejected(4)
  await service.api.call('POST', 'replays', { destinationId })
  await receiver.waitFor(5)
  const bodies = receiver.requests.map(({ body }) => body.toString())
  expect(bodies).toHaveLength(5)
  expect(new Set(bodies).size).toBe(1)
  expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  // Receivers may re-serialise the body before they verify X-Signature.
  expect(JSON.stringify(JSON.parse(bodies[0]!))).toBe(bodies[0])
})
