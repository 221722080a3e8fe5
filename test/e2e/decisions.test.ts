import { describe, expect, test } from 'vitest'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { startService } from '@hookline/testing/service/running-service'

describe.concurrent('a destination', () => {
  test('that is disabled receives nothing, and the trace explains why; once enabled, it receives later events', async () => {
    await using receiver = await openReceiver()
    await using service = await startService()
    const id = await service.createDestination({ urls: [receiver.url], enabled: false })
    await service.track('while off')
    const { decisions, deliveries } = await service.endOf('while off')
    expect(decisions).toMatchObject([
      { destinationId: id, decision: 'declined', reason: 'destination_disabled' },
    ])
    expect(deliveries).toEqual([])

    await service.api.call('PATCH', `destinations/${id}`, { enabled: true })
    await service.track('while on')
    await service.endOf('while on')
    expect(receiver.requests.map(({ body }) => JSON.parse(body.toString()).messageId)).toEqual([
      'while on',
    ])
    expect(await service.endOf('while off')).toMatchObject({ decisions, deliveries })
  })

  test('is disabled by default', async () => {
    await using service = await startService()
    const created = await service.api.call('POST', 'destinations', {
      sourceId: service.source.id,
      type: 'Webhooks',
      settings: { webhookUrl: 'https://receiver.example/' },
    })
    expect(created).toMatchObject({ enabled: false, settings: { successPolicy: 'any' } })
  })

  test('receives only events from its source', async () => {
    await using receiver = await openReceiver()
    await using other = await openReceiver()
    await using service = await startService()
    const id = await service.createDestination({ urls: [receiver.url] })
    const source = await service.createSource()
    const otherId = await service.createDestination({ urls: [other.url], source })
    await service.track('m-1')
    await service.send('/v1/page', { messageId: 'm-2', userId: 'u' }, source)
    expect(await service.endOf('m-1')).toMatchObject({
      sourceId: service.source.id,
      decisions: [{ destinationId: id }],
    })
    expect(await service.endOf('m-2')).toMatchObject({
      sourceId: source.id,
      decisions: [{ destinationId: otherId }],
    })
    expect([receiver.requests.length, other.requests.length]).toEqual([1, 1])
  })

  test('gets a separate decision: one event, three decisions', async () => {
    await using receiver = await openReceiver()
    await using service = await startService()
    const on = await service.createDestination({ urls: [receiver.url] })
    const off = await service.createDestination({ urls: [receiver.url], enabled: false })
    const named = await service.createDestination({ urls: [receiver.url] })
    await service.track('m-1', { integrations: { [named]: false } })
    const { decisions, deliveries } = await service.endOf('m-1')
    const byId = decisions.map(({ destinationId, decision, reason }) => [
      destinationId,
      [decision, reason],
    ])
    expect(Object.fromEntries(byId)).toEqual({
      [on]: ['deliver', null],
      [off]: ['declined', 'destination_disabled'],
      [named]: ['declined', 'integrations'],
    })
    expect(deliveries).toMatchObject([{ destinationId: on, state: 'delivered' }])
    expect(receiver.requests).toHaveLength(1)
  })
})

type Integrations = (destinationId: string) => object

describe.concurrent('the integrations of a call', () => {
  test.for<[string, boolean, Integrations]>([
    ['`All` off, the id of the destination on', true, (id) => ({ All: false, [id]: true })],
    [
      '`Webhooks` on, the id of the destination off',
      false,
      (id) => ({ Webhooks: true, [id]: false }),
    ],
  ])('%s: delivered is %s', async ([, isDelivered, integrations]) => {
    await using receiver = await openReceiver()
    await using service = await startService()
    const destinationId = await service.createDestination({ urls: [receiver.url] })
    await service.track('m-1', { integrations: integrations(destinationId) })
    const { decisions, deliveries } = await service.endOf('m-1')
    expect(decisions).toMatchObject([
      isDelivered
        ? { destinationId, decision: 'deliver', reason: null }
        : { destinationId, decision: 'declined', reason: 'integrations' },
    ])
    expect(deliveries).toHaveLength(isDelivered ? 1 : 0)
    expect(receiver.requests).toHaveLength(isDelivered ? 1 : 0)
  })

  test('override the integrations of the batch, which apply to calls without any', async () => {
    await using receiver = await openReceiver()
    await using service = await startService()
    await service.createDestination({ urls: [receiver.url] })
    const call = { type: 'track', userId: 'u', event: 'E' }
    const batch = [
      { ...call, messageId: 'without' },
      { ...call, messageId: 'with', integrations: { Webhooks: true } },
    ]
    await service.send('/v1/batch', { batch, integrations: { Webhooks: false } })
    expect((await service.endOf('without')).decisions).toMatchObject([{ reason: 'integrations' }])
    expect((await service.endOf('with')).decisions).toMatchObject([{ decision: 'deliver' }])
    expect(receiver.requests).toHaveLength(1)
  })

  test('are never sent to webhooks', async () => {
    await using receiver = await openReceiver()
    await using service = await startService()
    await service.createDestination({ urls: [receiver.url] })
    await service.track('m-1', { integrations: { All: true, Webhooks: { key: 'value' } } })
    const [request] = await receiver.waitFor(1)
    expect(JSON.parse(request!.body.toString())).not.toHaveProperty('integrations')
  })
})
