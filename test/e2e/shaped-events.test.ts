import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { filesWith } from '@hookline/testing/files/bytes-in-folder'
import { exchange } from '@hookline/testing/network/http-exchange'
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
    salt: 'the salt of this test',
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
    traits: {
      email: createHmac('sha256', 'the salt of this test')
        .update('planted@value.example')
        .digest('hex'),
    },
  })
  receiver.respond = () => 200
  await change({ format: 'standard', fields: { ...fields, drop: ['context', 'traits.plan'] } })
  const delivery = await service.eventually(async () => {
    const { deliveries } = await service.trace('m-1')
    expect(deliveries[0]?.attempts.length).toBeGreaterThan(0)
    return deliveries[0]!
  })
  // The change may have led to the second attempt already.
  await service.api.request('POST', `deliveries/${delivery.id}/retry`)
  await receiver.waitFor(2)
  expect(JSON.parse(body(1))).toMatchObject({ type: 'identify', data: { type: 'identify' } })
  expect(JSON.parse(body(1))).not.toHaveProperty('data.context')
  for (const request of receiver.requests)
    expect(request.body.toString()).not.toMatch(/planted@value|198\.51\.100\.77/i)
  expect(JSON.stringify(service.logLines)).not.toMatch(
    /planted@value|198\.51\.100\.77|the salt of/i,
  )
  const { text } = await service.api.request('GET', 'export')
  expect(text).not.toContain('the salt of')
})

test('the format full keeps every field of the call, except dropped ones, even on a retry', async () => {
  await using receiver = await openReceiver({ respond: 500 })
  await using service = await startService()
  const id = await service.createDestination({ urls: [receiver.url] })
  const settings = { format: 'full', fields: { drop: ['context.ip'] } }
  await service.api.call('PATCH', `destinations/${id}`, { settings })
  const call = {
    messageId: 'm-1',
    event: 'Order Completed',
    userId: 'u1',
    timestamp: '2026-01-02T03:04:05.000Z',
    sentAt: '2026-01-02T03:04:06.000Z',
    integrations: { All: true, Other: { key: 'value' } },
    channel: 'server',
    custom: { nested: [1, 'two'] },
    properties: { revenue: 10 },
    context: { ip: '198.51.100.77', locale: 'de' },
  }
  await service.send('/v1/track', call)
  await receiver.waitFor(1)
  const delivery = await service.eventually(async () => {
    const { deliveries } = await service.trace('m-1')
    expect(deliveries[0]?.attempts).toHaveLength(1)
    return deliveries[0]!
  })
  await service.api.call('POST', `deliveries/${delivery.id}/retry`)
  await receiver.waitFor(2)
  for (const { body } of receiver.requests) {
    const { timestamp: _, ...sent } = call
    expect(JSON.parse(body.toString())).toEqual({
      ...sent,
      type: 'track',
      context: { locale: 'de' },
      timestamp: expect.any(String),
      originalTimestamp: call.timestamp,
      receivedAt: expect.any(String),
    })
    expect(JSON.stringify(JSON.parse(body.toString()))).toBe(body.toString())
  }
})

test('no file of the service contains a value that a source drops or hashes', async () => {
  await using receiver = await openReceiver()
  await using service = await startService()
  const id = await service.createDestination({ urls: [receiver.url] })
  await service.api.call('PATCH', `destinations/${id}`, { settings: { format: 'full' } })
  const rules = {
    drop: ['context.ip', 'properties.card', 'ssn'],
    hash: [{ path: 'traits.email', normalize: 'email' }],
    salt: 'the salt of this test',
  }
  const source = `sources/${service.source.id}`
  const changed = await service.api.call('PATCH', source, { fields: rules })
  expect(changed).toMatchObject({ fields: { ...rules, salt: { set: true } } })
  const traits = { email: 'Planted@Value.example', plan: 'pro' }
  const properties = { card: 'planted-card', sum: 5 }
  await service.send('/v1/batch', {
    context: { ip: 'planted-ip', traits },
    batch: [
      { type: 'track', event: 'Paid', userId: 'u1', properties, ssn: 'planted-ssn', other: 1 },
      { type: 'identify', userId: 'u1', context: { ip: 'planted-ip', locale: 'de' } },
      { type: 'page', userId: 'u1', traits: properties },
      { type: 'page', userId: 'u1', traits },
      // This call has no IP address, so Hookline adds the connection's.
      { type: 'track', event: 'Direct', userId: 'u1', context: { direct: true } },
    ],
  })
  await receiver.waitFor(5)
  const bodies = receiver.requests.map(({ body }) => JSON.parse(body.toString()) as object)
  const email = createHmac('sha256', rules.salt).update('planted@value.example').digest('hex')
  const hashed = { email, plan: 'pro' }
  const each = [
    { type: 'track', properties: { sum: 5 }, other: 1 },
    { type: 'identify', traits: hashed, context: { locale: 'de', traits: hashed } },
    { type: 'page', properties: { sum: 5 }, context: { traits: hashed } },
    { type: 'page', properties: hashed },
    { type: 'track', event: 'Direct', context: { direct: true, traits: hashed } },
  ].map((expected) => expect.objectContaining(expected) as object)
  expect(bodies).toEqual(expect.arrayContaining(each))
  expect(JSON.stringify(bodies)).not.toContain('ssn')
  await service.stop()
  for (const value of ['planted-', 'Planted@', 'planted@', 'the salt of'])
    expect([value, filesWith(service.dataDir, value)]).toEqual([value, []])
  expect(JSON.stringify(service.logLines)).not.toMatch(/planted|the salt of/i)
  await service.start()
})

test.each([
  ['drop an id', { drop: ['userId'] }, '/fields/drop/0'],
  ['drop the choice of destinations', { drop: ['integrations.CRM'] }, '/fields/drop/0'],
  ['hash all properties', { hash: [{ path: 'properties' }] }, '/fields/hash/0/path'],
  ['hash all traits', { hash: [{ path: 'context.traits' }] }, '/fields/hash/0/path'],
  ['keep something that is always stored', { keep: ['context.ip', 'type'] }, '/fields/keep/1'],
])('a source refuses rules that %s', async (_, fields, pointer) => {
  await using service = await startService()
  const path = `sources/${service.source.id}`
  const { status, text } = await service.api.request('PATCH', path, { fields })
  expect(status).toBe(422)
  expect(JSON.parse(text)).toMatchObject({ errors: [{ pointer, code: 'not_allowed' }] })
})

const PLANTED = 'planted user/1'
const DELETED = 'planted user/2'
const SEEN = /planted.{1,3}user/i

test('a method and a URL template shape the request, and attempts, logs and metrics do not contain the filled URL', async () => {
  await using receiver = await openReceiver()
  await using service = await startService()
  const template = `${receiver.url}/{{userId}}/{{type}}?event={{event}}`
  const id = await service.createDestination({ urls: [template] })
  const change = (settings: object) => service.api.call('PATCH', `destinations/${id}`, { settings })
  await change({ method: 'PUT' })
  await service.send('/v1/track', { messageId: 'm-1', userId: PLANTED, event: 'Order 1' })
  await receiver.waitFor(1)
  expect(receiver.requests[0]).toMatchObject({
    method: 'PUT',
    path: '/hook/planted%20user%2F1/track?event=Order%201',
  })
  const delivery = await service.eventually(async () => {
    const { deliveries } = await service.trace('m-1')
    expect(deliveries[0]?.attempts).toMatchObject([{ url: template }])
    return deliveries[0]!
  })
  type Requests = { webhooks: { request: object; curl: string }[] }
  const shown = await service.api.call<Requests>('GET', `deliveries/${delivery.id}/requests`)
  expect(shown.webhooks).toMatchObject([
    { url: template, request: { method: 'PUT', url: expect.stringMatching(SEEN) } },
  ])
  expect(shown.webhooks[0]!.curl).toMatch(/--request PUT '\S+\/hook\/planted%20user%2F1\/track/)

  receiver.respond = () => ({ status: 301, headers: { Location: '/u/planted%20user%2F1/new' } })
  await change({ method: 'PATCH', webhooks: [{ url: template.replace('hook', 'u') }] })
  await service.send('/v1/page', { messageId: 'm-2', userId: PLANTED })
  await receiver.waitFor(2)
  expect(receiver.requests[1]).toMatchObject({
    method: 'PATCH',
    path: '/u/planted%20user%2F1/page?event=',
  })

  receiver.respond = () => 200
  await change({ fields: { hash: [{ path: 'userId' }], salt: 'the salt of this test' } })
  await service.send('/v1/track', { messageId: 'm-3', userId: PLANTED, event: 'Order 2' })
  await service.send('/v1/alias', { messageId: 'm-4', userId: PLANTED, previousId: PLANTED })
  await service.api.call('POST', 'deletions', { userIds: [DELETED] })
  await receiver.waitFor(5)
  const hash = (userId: string): string =>
    createHmac('sha256', 'the salt of this test').update(userId).digest('hex')
  const paths = receiver.requests.slice(2).map(({ method, path }) => `${method} ${path}`)
  expect(new Set(paths)).toEqual(
    new Set([
      `PATCH /u/${hash(PLANTED)}/alias?event=`,
      `PATCH /u/${hash(DELETED)}/delete?event=`,
      `PATCH /u/${hash(PLANTED)}/track?event=Order%202`,
    ]),
  )

  expect(JSON.stringify(service.logLines)).not.toMatch(SEEN)
  expect((await exchange(`${service.url}/metrics`, { method: 'GET' })).text).not.toMatch(SEEN)
})

test('an event whose values would leave the path, or make the URL too long, is rejected without a request', async () => {
  await using receiver = await openReceiver()
  await using service = await startService()
  const url = `${receiver.url}/{{userId}}`
  const id = await service.createDestination({ urls: [url] })
  for (const [messageId, userId] of [
    ['m-1', '..'],
    ['m-2', 'a/../../admin'],
    ['m-3', '一'.repeat(2_000)],
  ] as const) {
    await service.send('/v1/track', { messageId, userId, event: 'Order' })
    const { id: eventId, deliveries } = await service.endOf(messageId)
    expect(deliveries).toMatchObject([
      { state: 'rejected', attempts: [{ url, class: 'request_invalid', timing: {} }] },
    ])
    const tested = await service.api.call('POST', `destinations/${id}/test`, { eventId })
    expect(tested).toMatchObject({
      webhooks: [{ url, request: null, attempt: { class: 'request_invalid' } }],
    })
  }
  expect(receiver.requests).toHaveLength(0)
})
