import { expect, test } from 'vitest'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { startService } from '@hookline/testing/service/running-service'

const REFUNDS = 'type = "track" and event = "Order Refunded" ? { "text": event & " by " & userId }'

test('a transform builds the body, declines events, and fails without a request until it is corrected', async () => {
  await using receiver = await openReceiver()
  await using service = await startService()
  const id = await service.createDestination({ urls: [receiver.url], secret: 'a secret' })
  const change = (settings: object) =>
    service.api.call<object>('PATCH', `destinations/${id}`, { settings })
  expect(await change({ transform: REFUNDS })).toMatchObject({ settings: { transform: REFUNDS } })

  const send = (messageId: string, event: string, properties = {}) =>
    service.send('/v1/track', { messageId, event, userId: 'u1', properties })
  const stateOf = (messageId: string) =>
    service.eventually(async () => {
      const { deliveries } = await service.trace(messageId)
      expect(deliveries[0]?.state ?? 'pending').not.toBe('pending')
      return deliveries[0]!
    })
  await send('m-1', 'Order Refunded')
  await send('m-2', 'Order Completed')
  await receiver.waitFor(1)
  expect(receiver.requests[0]!.body.toString()).toBe('{"text":"Order Refunded by u1"}')
  expect(receiver.requests[0]!.headers['content-type']).toBe('application/json')
  const declined = await stateOf('m-2')
  expect(declined.state).toBe('declined')
  expect(await service.trace('m-2')).toMatchObject({
    decisions: [
      { explanation: "Declined: the destination's transform returned nothing for this event." },
    ],
  })

  await change({ transform: '{ "sum": event + 1 }' })
  for (let n = 0; n < 30; n++) await send(`f-${n}`, 'Order Refunded')
  const failed = await stateOf('f-29')
  expect(failed.state).toBe('rejected')
  expect(failed.attempts.at(-1)).toMatchObject({
    class: 'transform_failed',
    error: expect.stringContaining('T2001 at character 16'),
    // No request was sent.
    timing: {},
  })
  expect(receiver.requests).toHaveLength(1)
  const { health } = await service.api.call<{ health: { webhooks: { breaker: string }[] } }>(
    'GET',
    `destinations/${id}`,
  )
  expect(health.webhooks[0]!.breaker).toBe('closed')

  await change({ transform: '{ "text": event }' })
  await service.api.call('POST', 'replays', {
    destinationId: id,
    includeDeclined: true,
  })
  await receiver.waitFor(32)
  await service.eventually(async () =>
    expect((await service.trace('m-2')).deliveries[0]!.state).toBe('delivered'),
  )
})

test('a deletion notice is sent without the transform', async () => {
  await using receiver = await openReceiver()
  await using service = await startService()
  const id = await service.createDestination({ urls: [receiver.url], secret: 'a secret' })
  await service.api.call('PATCH', `destinations/${id}`, {
    settings: { transform: '{ "text": userId }' },
  })
  await service.api.call('POST', 'deletions', { userIds: ['u1'] })
  await receiver.waitFor(1)
  expect(JSON.parse(receiver.requests[0]!.body.toString())).toMatchObject({
    type: 'delete',
    userId: 'u1',
  })
  const shown = await service.api.call<{ webhooks: { request: { body: string } }[] }>(
    'POST',
    `destinations/${id}/test`,
    { type: 'delete', dryRun: true },
  )
  expect(JSON.parse(shown.webhooks[0]!.request.body)).toHaveProperty('type', 'delete')
})

test('a dry run shows each step, and tries a different transform without saving it', async () => {
  await using receiver = await openReceiver()
  await using service = await startService()
  const id = await service.createDestination({ urls: [receiver.url], secret: 'a secret' })
  await service.api.call('PATCH', `destinations/${id}`, {
    settings: { fields: { drop: ['context'] } },
  })
  const tried = await service.api.call<{ stored: string; formatted: string; webhooks: object[] }>(
    'POST',
    `destinations/${id}/test`,
    { type: 'track', dryRun: true, transform: '{ "text": event }' },
  )
  expect(JSON.parse(tried.stored)).toHaveProperty('context')
  expect(JSON.parse(tried.formatted)).not.toHaveProperty('context')
  expect(tried.webhooks).toMatchObject([{ request: { body: expect.stringContaining('"text"') } }])
  const declined = await service.api.call('POST', `destinations/${id}/test`, {
    type: 'track',
    dryRun: true,
    transform: 'nothing',
  })
  expect(declined).toMatchObject({
    webhooks: [{ request: null, attempt: { outcome: 'declined', class: 'transform_declined' } }],
  })
  const refused = await service.api.request('POST', `destinations/${id}/test`, {
    type: 'track',
    dryRun: true,
    transform: '{ "text": ',
  })
  expect(refused.status).toBe(422)
  expect(refused.text).toContain('invalid_expression')
  expect(receiver.requests).toHaveLength(0)
})

test('a dry run names the numbers that a transform gets as text', async () => {
  await using receiver = await openReceiver()
  await using service = await startService()
  const id = await service.createDestination({ urls: [receiver.url] })
  await service.send('/v1/track', {
    messageId: 'm-1',
    userId: 'u1',
    event: 'Order',
    properties: { id: 2 ** 60, items: [{ 'a.b': 2 ** 70 }, { 'a.b': 2 ** 71 }], price: 0.1 },
  })
  const { id: eventId } = await service.endOf('m-1')
  const dryRun = (transform?: string) =>
    service.api.call('POST', `destinations/${id}/test`, { eventId, dryRun: true, transform })
  expect(await dryRun('{ "type": $type(properties.id) }')).toMatchObject({
    precisionLost: ['properties.id', String.raw`properties.items.a\.b`],
    webhooks: [{ request: { method: 'POST', body: '{"type":"string"}' } }],
  })
  expect(await dryRun()).not.toHaveProperty('precisionLost')
})
