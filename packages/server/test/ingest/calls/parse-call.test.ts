import type { Json, JsonObject } from '@hookline/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type CallRules,
  mayBeTooLarge,
  parseBatch,
  type ParsedCall,
  parseCall,
} from '../../../src/ingest/calls/parse-call.ts'

const rules: CallRules = {
  type: undefined,
  shared: { bytes: 0 },
  isUtf8: true,
  maxLevels: 64,
  maxBytes: undefined,
}
const track = { type: 'track', userId: 'u1', event: 'Signed Up' }

function parsed(call: Json, changed: Partial<CallRules> = {}): ParsedCall {
  const result = parseCall(call, { ...rules, ...changed })
  if ('refused' in result) throw new Error(`refused with ${result.refused}`)
  return result
}

const nested = (levels: number): Json => (levels === 0 ? 1 : { a: nested(levels - 1) })

describe('a call is refused', () => {
  test.each<[string, Json]>([
    ['not_an_object', null],
    ['not_an_object', [track]],
    ['not_an_object', 'track'],
    ['nested_too_deep', { ...track, properties: nested(64) }],
    ['unknown_type', { ...track, type: undefined }],
    ['unknown_type', { ...track, type: 'delete' }],
    ['unknown_type', { ...track, type: 'Track' }],
    ['unknown_type', { ...track, type: 'constructor' }],
    ['unknown_type', { ...track, type: ['track'] }],
    ['no_user_anon_id', { type: 'identify' }],
    ['no_user_anon_id', { ...track, userId: '' }],
    ['no_user_anon_id', { ...track, userId: null, anonymousId: null }],
    ['id_required', { type: 'group', userId: 'u1' }],
    ['id_required', { type: 'group', userId: 'u1', groupId: '' }],
    ['id_required', { type: 'alias', userId: 'u1' }],
    ['id_required', { type: 'alias', previousId: 'p', anonymousId: 'a' }],
    ['id_not_string', { ...track, userId: {} }],
    ['id_not_string', { ...track, userId: false }],
    ['id_not_string', { ...track, anonymousId: ['a'] }],
    ['id_not_string', { ...track, messageId: {} }],
    ['id_not_exact', JSON.parse('{"type":"identify","userId":1e999}') as Json],
    ['id_not_exact', { ...track, userId: 2 ** 53 }],
    ['id_not_exact', { ...track, anonymousId: -(2 ** 53) }],
    ['id_not_exact', { type: 'group', userId: 'u1', groupId: 1e300 }],
    ['id_not_exact', { type: 'alias', userId: 'u1', previousId: 2 ** 60 }],
    ['id_not_unicode', { ...track, userId: 'u\ud83d' }],
    ['id_not_unicode', { ...track, userId: '\ude00\ud83d' }],
    ['id_not_unicode', { ...track, anonymousId: '\ud800' }],
    ['id_not_unicode', { ...track, messageId: 'm\udfff' }],
    ['id_not_unicode', { type: 'group', userId: 'u1', groupId: '\ud800' }],
    ['id_not_unicode', { type: 'alias', userId: 'u1', previousId: '\ud800' }],
    ['event_not_defined', { type: 'track', userId: 'u1' }],
    ['event_not_defined', { ...track, event: '' }],
    ['event_not_string', { ...track, event: 7 }],
    ['properties_not_object', { ...track, properties: ['a'] }],
    ['traits_not_object', { type: 'identify', userId: 'u1', traits: 'pro' }],
    ['context_not_object', { ...track, context: 1 }],
    ['integrations_not_object', { ...track, integrations: true }],
    ['name_not_string', { type: 'page', userId: 'u1', name: 1 }],
    ['category_not_string', { type: 'page', userId: 'u1', category: {} }],
    ['message_id_too_long', { ...track, messageId: 'm'.repeat(101) }],
  ])('with %s: %j', (refused, call) => {
    expect(parseCall(call, rules)).toEqual({ refused })
  })

  test('with message_too_large by the size of its JSON', () => {
    const call = { ...track, properties: { name: 'é'.repeat(10) } }
    const maxBytes = Buffer.byteLength(JSON.stringify(call))
    expectLargest(maxBytes, call)
    expectLargest(maxBytes, { ...call, writeKey: 'wk', _metadata: { bundled: [] } })
  })

  test('with message_too_large by its stored size, after the merge with its batch', () => {
    const shared = { context: { a: 'x'.repeat(100), b: 1 }, integrations: { All: true }, bytes: 9 }
    const call = { ...track, context: { a: 'y'.repeat(100) } }
    const stored = { ...track, context: { a: 'y'.repeat(100), b: 1 }, integrations: { All: true } }
    expectLargest(Buffer.byteLength(JSON.stringify(stored)), call, shared)
    const short = JSON.parse('{"type":"identify","userId":"u1","traits":{"n":[1e20,1e20]}}') as Json
    expectLargest(JSON.stringify(short).length, short)
  })
})

/** Expects a size of `bytes`: accepted with that limit, refused with one less. */
function expectLargest(bytes: number, call: Json, shared = rules.shared): void {
  const result = (maxBytes: number) => parseCall(call, { ...rules, shared, maxBytes })
  expect(result(bytes)).not.toHaveProperty('refused')
  expect(result(bytes - 1)).toEqual({ refused: 'message_too_large' })
}

test('parsing and serialising a number makes its JSON at most six times as long', () => {
  const number = fc.stringMatching(/^-?[1-9](\.\d{1,3})?[eE][+-]?\d{1,2}$/)
  fc.assert(
    fc.property(number, (text) => {
      const written = JSON.stringify(JSON.parse(text)).length
      expect(mayBeTooLarge(text.length, rules.shared, written - 1)).toBe(true)
    }),
    { numRuns: 2_000 },
  )
})

describe('a call is accepted', () => {
  test.each<Json>([
    track,
    { ...track, properties: nested(62) },
    { type: 'identify', anonymousId: 'a' },
    { type: 'page', anonymousId: 'a' },
    { type: 'screen', userId: 'u1', name: '' },
    { type: 'group', userId: 'u1', groupId: 'g' },
    { type: 'alias', userId: 'u1', previousId: 'p' },
    { ...track, messageId: 'm'.repeat(100) },
  ])('if it has the required fields of its type: %j', (call) => {
    expect(parseCall(call, rules)).not.toHaveProperty('refused')
  })

  test('with the type of the path, not the type in its body', () => {
    expect(parsed({ ...track, type: 'delete' }, { type: 'identify' }).fields.type).toBe('identify')
  })

  test('with numeric ids converted to strings', () => {
    const call = { type: 'group', userId: 7, groupId: 1.5, anonymousId: 0, messageId: -1 }
    expect(parsed(call).fields).toMatchObject({
      userId: '7',
      groupId: '1.5',
      anonymousId: '0',
      messageId: '-1',
    })
  })

  test('with null treated as absent', () => {
    const nothing = { messageId: null, anonymousId: null, name: null, traits: null, context: null }
    expect(parsed({ ...track, ...nothing }).fields).toEqual({ ...track, context: {} })
  })

  test('without write key and metadata, but with its unknown keys', () => {
    const call = { ...track, writeKey: 'wk', _metadata: {}, receivedAt: 'x', channel: 'server' }
    const { fields, unknown } = parsed(call)
    expect(fields).toEqual({ ...track, context: {} })
    expect(unknown).toBe('"channel":"server"')
  })

  test('with the traits of a page as its properties, if it has none', () => {
    const page = { type: 'page', userId: 'u1', traits: { url: '/' } }
    expect(parsed(page).fields).toEqual({
      type: 'page',
      userId: 'u1',
      properties: { url: '/' },
      context: {},
    })
    expect(parsed({ ...page, properties: { a: 1 } }).fields).toMatchObject({
      properties: { a: 1 },
      traits: { url: '/' },
    })
  })

  test('with the context and integrations of its batch, but its own keys override them', () => {
    const shared = {
      context: { a: 1, b: { c: 1 } },
      integrations: { All: false, X: true },
      bytes: 9,
    }
    const call = { ...track, context: { b: {} }, integrations: { All: true } }
    expect(parsed(call, { shared }).fields).toMatchObject({
      context: { a: 1, b: {} },
      integrations: { All: true, X: true },
    })
    expect(shared.context).toEqual({ a: 1, b: { c: 1 } })
  })

  test('with its times unchanged, and timestamp preferred over originalTimestamp', () => {
    const both = { ...track, timestamp: 5, originalTimestamp: 'x', sentAt: 'y' }
    expect(parsed(both)).toMatchObject({ timestamp: 5, sentAt: 'y' })
    expect(parsed({ ...both, timestamp: null })).toMatchObject({ timestamp: 'x' })
    expect(parsed({ ...both, timestamp: '' })).toMatchObject({ timestamp: 'x' })
    expect(parsed(track).timestamp).toBeUndefined()
  })

  test('with __proto__ as an ordinary key', () => {
    const proto = '{"__proto__":{"polluted":true}}'
    const text = `{"type":"track","userId":"u1","event":"e","__proto__":{"polluted":true},"context":${proto}}`
    const { fields, unknown } = parsed(JSON.parse(text) as Json, {
      shared: { context: JSON.parse(proto) as JsonObject, bytes: 0 },
    })
    const { __proto__: _, ...known } = JSON.parse(text) as JsonObject
    expect(JSON.parse(JSON.stringify(fields))).toEqual(known)
    expect(`{${unknown}}`).toBe(proto)
    expect(Object.getPrototypeOf(fields)).toBe(Object.prototype)
    expect(Object.getPrototypeOf(fields.context)).toBe(Object.prototype)
    expect({}).not.toHaveProperty('polluted')
  })
})

test('any JSON value is accepted or refused as a call, and not changed', () => {
  const names = ['type', 'userId', 'anonymousId', 'event', 'properties', 'context', '__proto__']
  const value = fc.oneof(fc.constantFrom('track', 'group', 'u1'), fc.jsonValue())
  const calls = fc.oneof(fc.jsonValue(), fc.dictionary(fc.constantFrom(...names), value))
  fc.assert(
    fc.property(calls, (call) => {
      const before = JSON.stringify(call)
      const result = parseCall(call, { ...rules, maxBytes: 500 })
      expect(JSON.stringify(call)).toBe(before)
      expect('refused' in result || typeof result.fields.context === 'object').toBe(true)
    }),
    { numRuns: 500 },
  )
})

const BATCH_LIMITS = { maxBatchExpansionBytes: 16_000, maxBatchMessages: 3, maxNestingLevels: 4 }
const TRACK = { type: 'track' }

describe('a batch', () => {
  test('is parsed into its calls, the shared parts, and sentAt', () => {
    const context = { library: { name: 'go' } }
    expect(
      parseBatch(
        { batch: [TRACK, 7], context, integrations: { All: true }, sentAt: 'then' },
        BATCH_LIMITS,
      ),
    ).toEqual({
      calls: [TRACK, 7],
      shared: { context, integrations: { All: true }, bytes: 65 },
      sentAt: 'then',
    })
  })

  test('may omit the shared parts', () => {
    expect(parseBatch({ batch: [TRACK], context: null }, BATCH_LIMITS)).toMatchObject({
      shared: { bytes: 0 },
    })
  })

  test.each([
    ['not_an_object', [TRACK]],
    ['not_an_object', null],
    ['not_an_object', { batch: { 0: TRACK } }],
    ['empty_batch', {}],
    ['empty_batch', { batch: [] }],
    ['too_many_messages', { batch: [TRACK, TRACK, TRACK, TRACK] }],
    ['context_not_object', { batch: [TRACK], context: ['a'] }],
    ['integrations_not_object', { batch: [TRACK], integrations: 'All' }],
    ['nested_too_deep', { batch: [TRACK], context: { a: { b: { c: {} } } } }],
    ['batch_too_large', { batch: [TRACK, TRACK, TRACK], context: { a: 'x'.repeat(6000) } }],
  ])('is refused with %s', (refused, body) => {
    expect(parseBatch(body, BATCH_LIMITS)).toEqual({ refused })
  })
})

test('a page call whose properties are dropped does not get its traits as properties', () => {
  const page = { type: 'page', userId: 'u1', properties: { card: 1 }, traits: { card: 2 } }
  const fields = { drop: ['properties'], salt: 'the salt of this test' }
  expect(parsed(page, { fields }).fields).not.toHaveProperty('properties')
  expect(parsed({ ...page, properties: undefined }, { fields }).fields).not.toHaveProperty('traits')
})
