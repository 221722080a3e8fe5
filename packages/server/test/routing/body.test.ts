import { describe, expect, it, test } from 'vitest'
import { deletionPayload, type Fields, type JsonObject } from '@hookline/protocol'
import { createHmac } from 'node:crypto'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import { bodyFor, shapedPayload, shapedCall } from '../../src/routing/body.ts'

const event = acceptedEvent({
  properties: {
    revenue: 39.950000000000003,
    products: [{ sku: 'a', email: 'A@x.example' }, { sku: 'b' }, 7],
    'utm.source': 'mail',
  },
  context: { ip: '198.51.100.7', traits: { email: ' Ann@X.example ' } },
})
const ID = 'msg_1'
const content = { body: event.body, sourceId: 'src_a' }
const salt = 'the salt of this test'

function parsedBody(settings: Parameters<typeof bodyFor>[0], of = content): JsonObject {
  return JSON.parse(Buffer.from(bodyFor(settings, ID, of).body).toString()) as JsonObject
}

function result(fields: Partial<Fields>): JsonObject {
  return parsedBody({ fields: { ...fields, salt } })
}

test('without settings, the stored bytes are sent', () => {
  expect(bodyFor({}, ID, content)).toEqual({ body: event.body })
  expect(bodyFor({}, ID, content).body).toBe(event.body)
})

describe('fields', () => {
  it('drops paths, including paths in objects in a list', () => {
    const { properties, context } = result({
      drop: [
        'properties.products.email',
        String.raw`properties.utm\.source`,
        'context.ip',
        'none.x',
      ],
    })
    expect(properties).toEqual({ revenue: 39.95, products: [{ sku: 'a' }, { sku: 'b' }, 7] })
    expect(context).toEqual({ traits: { email: ' Ann@X.example ' } })
  })

  it('keeps only the given paths and what identifies the event', () => {
    expect(result({ keep: ['properties.products.sku', 'userId.none'] })).toEqual({
      version: 1,
      type: 'track',
      messageId: event.messageId,
      timestamp: event.event.timestamp,
      properties: { products: [{ sku: 'a' }, { sku: 'b' }] },
    })
  })

  it('replaces values by hashes of their normalised text', () => {
    const hash = [{ path: 'context.traits.email', normalize: 'email' } as const, { path: 'userId' }]
    const { userId, context } = result({ hash })
    expect(userId).toBe(hmac('u1'))
    expect(context).toMatchObject({ traits: { email: hmac('ann@x.example') } })
  })

  test.each([
    ['a number', 5, '5'],
    ['true', true, 'true'],
    ['an object', { a: 1 }, '{"a":1}'],
  ])('hashes %s as its JSON', (_, value, text) => {
    const fields = { hash: [{ path: 'a' }], salt }
    expect(shapedPayload({ a: value }, fields)).toEqual({ a: hmac(text) })
  })

  it('hashes each element of a list, and keeps null', () => {
    const fields = { hash: [{ path: 'a' }, { path: 'b' }], salt }
    expect(shapedPayload({ a: ['x', 'y'], b: null }, fields)).toEqual({
      a: [hmac('x'), hmac('y')],
      b: null,
    })
  })

  it('keeps the order of fields and the exact numbers', () => {
    const text = Buffer.from(event.body).toString()
    const body = Buffer.from(
      bodyFor({ fields: { drop: ['none'], salt } }, ID, content).body,
    ).toString()
    expect(body).toBe(text)
  })

  it('changes traits in both places', () => {
    const drop = ['traits.email', 'context.traits.plan']
    const both = { email: 'a', plan: 'b', other: 'c' }
    const payload = { traits: both, context: { traits: both } }
    const left = { other: 'c' }
    expect(shapedPayload(payload, { drop, salt })).toEqual({
      traits: left,
      context: { traits: left },
    })
  })

  it('changes the ids of alias calls under their names in the payload', () => {
    const payload = { type: 'alias', 'Previous ID': 'v1', 'User ID': 'u1' }
    expect(shapedPayload(payload, { hash: [{ path: 'userId' }], salt })).toEqual({
      type: 'alias',
      'Previous ID': hmac('v1'),
      'User ID': hmac('u1'),
    })
  })

  it('gives a long list one hash', () => {
    const list = Array(101).fill(1) as number[]
    const hashed = shapedPayload({ a: list }, { hash: [{ path: 'a' }], salt })
    expect(hashed).toEqual({ a: hmac(JSON.stringify(list)) })
  })

  it('hashes the ids of a deletion notice, and changes nothing else in it', () => {
    const notice = { userId: 'u1', timestamp: '2026-01-15T12:00:00.000Z' }
    const of = { ...content, body: Buffer.from(deletionPayload(notice)) }
    const hash = [{ path: 'userId' }]
    expect(parsedBody({ fields: { keep: [], drop: ['anonymousId'], salt } }, of)).toEqual({
      type: 'delete',
      ...notice,
    })
    expect(parsedBody({ fields: { hash, salt } }, of)).toMatchObject({ userId: hmac('u1') })
  })
})

describe('the format', () => {
  it('standard has a type with the name of the event, and the payload as data', () => {
    const payload = JSON.parse(Buffer.from(event.body).toString()) as JsonObject
    expect(parsedBody({ format: 'standard' })).toEqual({
      type: 'track.order_completed',
      timestamp: event.event.timestamp,
      data: payload,
    })
  })

  it('cloudevents is a structured event, with the changed payload as data', () => {
    const settings = { format: 'cloudevents', fields: { keep: [], salt } } as const
    expect(bodyFor(settings, ID, content).contentType).toBe('application/cloudevents+json')
    expect(parsedBody(settings)).toEqual({
      specversion: '1.0',
      id: 'msg_1',
      source: 'urn:hookline:src_a',
      type: 'hookline.track',
      time: event.event.timestamp,
      datacontenttype: 'application/json',
      data: {
        version: 1,
        type: 'track',
        messageId: event.messageId,
        timestamp: event.event.timestamp,
      },
    })
  })
})

describe('the rules of a source', () => {
  const page = { type: 'page', userId: 'u1', traits: { path: '/', email: 'a' }, other: 1 }
  const kept = (call: JsonObject, fields: Partial<Fields>) =>
    shapedCall(call, { ...fields, salt }, call['type'] as 'page')

  it('keep what identifies and routes a call', () => {
    const call = { ...page, messageId: 'm', integrations: { All: false }, context: { ip: '1' } }
    const { traits: _, other: __, context: ___, ...fixed } = call
    expect(kept(call, { keep: ['context.none'] })).toEqual({ ...fixed, context: {} })
  })

  it('apply to the traits of a page call without properties, which become its properties', () => {
    expect(kept(page, { drop: ['properties.email'] })).toEqual({ ...page, traits: { path: '/' } })
    expect(kept(page, { keep: ['properties.path'] })['traits']).toEqual({ path: '/' })
    const full = { ...page, properties: { email: 'b' } }
    expect(kept(full, { drop: ['properties.email'] })).toEqual({ ...full, properties: {} })
    expect(kept(full, { keep: ['properties.email'] })).not.toHaveProperty('traits')
  })

  it('remove unknown fields, including __proto__', () => {
    const call = JSON.parse('{"userId":"u1","__proto__":{"ssn":1,"a":2},"ssn":3}') as JsonObject
    const text = JSON.stringify(kept(call, { drop: ['__proto__.ssn', 'ssn'] }))
    expect(text).toBe('{"userId":"u1","__proto__":{"a":2}}')
  })
})

function hmac(text: string): string {
  return createHmac('sha256', salt).update(text).digest('hex')
}
