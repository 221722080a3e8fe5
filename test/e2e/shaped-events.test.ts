import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { filesWith } from '@hookline/testing/files/bytes-in-folder'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { startService } from '@hookline/testing/service/running-service'

const SECRET = 'a secret of the receiver'

test('a dropped or hashed value is in no request, and a retry sends the corrected form', async () => {
  await using receiver = await openReceiver({ respond: 500 })
  await using service = await startService()
  const id = await service.createDestination({ urls: [receiver.url], secret: SECRET })
  const fields = {
    drop: ['context.ip'],
    hash: [{ path: 'traits.email', normalize: 'email' }],
    salt: 'a salt',
  }
  const change = (settings: object) =>
    service.api.call<{ settings: { fields: object } }>('PATCH', `destinations/${id}`, { settings })
  const { settings } = await change({ fields })
  expect(settings.fields).toEqual({ ...fields, salt: { set: true } })
  await service.send('/v1/identify', {
    messageId: 'm-1',
    userId: 'u1',
    traits: { email: 'Planted@Value.example', plan: 'pro' },
    context: { ip: '198.51.100.77' },
  })
  await receiver.waitFor(1)
  const body = (at: number) => receiver.requests[at]!.body.toString()
  expect(JSON.parse(body(0))).toMatchObject({
    traits: { email: createHmac('sha256', 'a salt').update('planted@value.example').digest('hex') },
  })
  await change({ format: 'standard', fields: { ...fields, drop: ['context', 'traits.plan'] } })
  receiver.respond = () => 200
  await service.api.call('POST', `destinations/${id}/close-breaker`)
  const delivery = await service.eventually(async () => {
    const { deliveries } = await service.trace('m-1')
    expect(deliveries).toHaveLength(1)
    return deliveries[0]!
  })
  await service.api.call('POST', `deliveries/${delivery.id}/retry`)
  await receiver.waitFor(2)
  expect(JSON.parse(body(1))).toMatchObject({ type: 'identify', data: { type: 'identify' } })
  expect(JSON.parse(body(1))).not.toHaveProperty('data.context')
  for (const request of receiver.requests)
    expect(request.body.toString()).not.toMatch(/planted@value|198\.51\.100\.77/i)
  expect(JSON.stringify(service.logLines)).not.toMatch(/planted@value|198\.51\.100\.77|a salt/i)
  const { text } = await service.api.request('GET', 'export')
  expect(text).not.toContain('a salt')
})

test('what a source drops is in no file of the service', async () => {
  await using service = await startService()
  const drop = ['context.ip', 'properties.card']
  await service.api.call('PATCH', `sources/${service.source.id}`, {
    fields: { drop, hash: [{ path: 'traits.email' }] },
  })
  const shown = await service.api.call('GET', `sources/${service.source.id}`)
  expect(shown).toMatchObject({ fields: { drop, salt: { set: true } } })
  const planted = { context: { ip: '198.51.100.77' }, properties: { card: 'planted-card', sum: 5 } }
  await service.track('m-1', planted)
  await service.send('/v1/identify', { userId: 'u1', traits: { email: 'planted@value.example' } })
  await service.eventually(() => service.trace('m-1'))
  const [event] = await service.api.listAll<{ id: string; event: object }>('events', {
    messageId: 'm-1',
  })
  const found = await service.api.call<{ event: object }>('GET', `events/${event!.id}`)
  expect(found.event).toMatchObject({ properties: { sum: 5 } })
  await service.stop()
  for (const value of ['198.51.100.77', 'planted'])
    expect(filesWith(service.dataDir, value)).toEqual([])
  await service.start()
})

test.each([
  ['an id', { drop: ['userId'] }, '/fields/drop/0'],
  ['all properties', { hash: [{ path: 'properties' }] }, '/fields/hash/0'],
  ['something else', { keep: ['context.ip', 'type'] }, '/fields/keep/1'],
])('a source cannot change %s', async (_, fields, pointer) => {
  await using service = await startService()
  const path = `sources/${service.source.id}`
  const { status, text } = await service.api.request('PATCH', path, { fields })
  expect(status).toBe(422)
  expect(JSON.parse(text)).toMatchObject({ errors: [{ pointer, code: 'not_allowed' }] })
})
