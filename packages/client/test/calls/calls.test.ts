import { ValidationError } from '@hookline/client'
import { describe, expect, test } from 'vitest'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'
import { LIBRARY } from '../../src/calls/analytics-calls.ts'
import { bodyOf } from '@hookline/testing/client/arrived-batches'
import { openExchange } from '@hookline/testing/client/open-exchange'

const user = { userId: 'u1' }

/** JSON.rawJSON, which TypeScript's types lack. */
const { rawJSON: rawJson } = JSON as unknown as { rawJSON: (text: string) => object }

describe('a call', () => {
  test('of each type arrives with its fields', async () => {
    await using exchange = await openExchange()
    const { analytics } = exchange
    analytics.identify({ ...user, traits: { plan: 'pro' } })
    analytics.track({ ...user, event: 'E', integrations: { All: false, Webhooks: true } })
    analytics.page({ ...user, name: 'Pricing', category: 'C', properties: { path: '/p' } })
    analytics.screen({ anonymousId: 'a1', name: 'Home' })
    analytics.group({ ...user, groupId: 'g1', traits: {} })
    analytics.alias({ previousId: 'a0', userId: 'u1', context: { ip: '8.8.8.8' } })
    await analytics.flush()
    expect(exchange.messages).toMatchObject([
      { type: 'identify', ...user, traits: { plan: 'pro' } },
      { type: 'track', ...user, event: 'E', integrations: { All: false, Webhooks: true } },
      { type: 'page', ...user, name: 'Pricing', category: 'C', properties: { path: '/p' } },
      { type: 'screen', anonymousId: 'a1', name: 'Home' },
      { type: 'group', ...user, groupId: 'g1', traits: {} },
      { type: 'alias', previousId: 'a0', userId: 'u1', context: { ip: '8.8.8.8' } },
    ])
  })

  test('contains context.library, which the caller cannot change', async () => {
    await using exchange = await openExchange()
    exchange.analytics.track({ ...user, event: 'E' })
    exchange.analytics.track({ ...user, event: 'E', context: { library: null, app: 'x' } })
    await exchange.analytics.flush()
    expect(exchange.messages.map(({ context }) => context)).toEqual([
      { library: LIBRARY },
      { library: LIBRARY, app: 'x' },
    ])
  })

  test('is sent with sentAt, and with the write key as the Basic auth user name', async () => {
    const clock = new ManualClock(Date.UTC(2026, 10, 21))
    await using exchange = await openExchange({ clock })
    exchange.track(1)
    clock.advance(1_234)
    await exchange.analytics.flush()
    const [{ method, path, headers }] = exchange.receiver.requests as [
      (typeof exchange.receiver.requests)[0],
    ]
    expect([method, path]).toEqual(['POST', '/v1/batch'])
    expect(headers).toMatchObject({
      authorization: `Basic ${Buffer.from('wk_test:').toString('base64')}`,
      'content-type': 'application/json',
    })
    expect(exchange.batches[0]!.sentAt).toBe('2026-11-21T00:00:01.234Z')
  })

  test('gets its messageId (a UUID) and timestamp when it is made, not when it is sent', async () => {
    const clock = new ManualClock(Date.UTC(2026, 10, 21))
    await using exchange = await openExchange({ clock })
    exchange.track(2)
    clock.advance(1_000)
    await exchange.analytics.flush()
    const ids = exchange.messages.map(({ messageId }) => messageId)
    expect(new Set(ids).size).toBe(2)
    for (const id of ids) expect(id).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/)
    expect(exchange.messages[0]!.timestamp).toBe('2026-11-21T00:00:00.000Z')
  })

  test('keeps the messageId from the caller', async () => {
    await using exchange = await openExchange()
    exchange.analytics.track({ ...user, event: 'E', messageId: 'order-1' })
    await exchange.analytics.flush()
    expect(exchange.messages[0]!.messageId).toBe('order-1')
  })

  test.for([
    [new Date('2014-12-12T19:04:59.123Z'), '2014-12-12T19:04:59.123Z'],
    ['2014-12-12T20:04:59.123456+0100', '2014-12-12T20:04:59.123456+0100'],
    ['2014-12-12', '2014-12-12'],
    // From programs without types.
    [0 as unknown as string, 0],
  ] as const)('with the historical timestamp %s is sent with %s', async ([timestamp, sent]) => {
    await using exchange = await openExchange()
    exchange.analytics.identify({ ...user, timestamp })
    await exchange.analytics.flush()
    expect(exchange.messages[0]!.timestamp).toBe(sent)
  })

  test('is serialised immediately: later changes to its objects have no effect', async () => {
    await using exchange = await openExchange()
    const properties = { list: [1], when: new Date(0) }
    const call = { ...user, event: 'E', properties }
    exchange.analytics.track(call)
    properties.list.push(2)
    properties.when.setTime(1)
    call.event = 'F'
    await exchange.analytics.flush()
    expect(exchange.messages[0]).toMatchObject({
      event: 'E',
      properties: { list: [1], when: '1970-01-01T00:00:00.000Z' },
    })
  })

  test("does no I/O: no request is sent while the caller's code runs", async () => {
    let requests = 0
    await using exchange = await openExchange({
      flushAt: 1,
      fetch: async (url, init) => {
        requests++
        return fetch(url, init)
      },
    })
    exchange.track(10)
    expect(requests).toBe(0)
    await exchange.analytics.flush()
    expect(requests).toBe(10)
  })

  const throwing = (thrown: unknown) => (): unknown => {
    throw thrown
  }
  const withToJson = (toJSON: () => unknown): object => ({ toJSON })
  const getter = (get: () => unknown): object =>
    Object.defineProperty({}, 'n', { get, enumerable: true })
  const revoked = () => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    return proxy
  }
  const doubling = (levels: number): object =>
    Array.from({ length: levels }).reduce<object>((inner) => ({ a: inner, b: inner }), {})
  const cyclic: Record<string, unknown> = {}
  cyclic['self'] = cyclic
  const deep = (levels: number): object =>
    Array.from({ length: levels }).reduce<object>((inner) => ({ a: inner }), {})
  test.for([
    ['a cycle', cyclic, 'invalid_json'],
    ['a BigInt', { n: 1n }, 'invalid_json'],
    ['NaN', { a: [{ n: Number.NaN }] }, 'number_not_finite'],
    ['Infinity', { n: Infinity }, 'number_not_finite'],
    ['an invalid Date', { at: new Date(Number.NaN) }, 'invalid_json'],
    [
      'a getter that throws',
      {
        get n() {
          throw new Error('no')
        },
      },
      'invalid_json',
    ],
    ['a boxed NaN', { n: new Number(NaN) }, 'number_not_finite'],
    ['a boxed Infinity in a list', { n: [new Number(Infinity)] }, 'number_not_finite'],
    ['a boxed BigInt', { n: Object(1n) }, 'invalid_json'],
    ['a symbol', { n: Symbol('n') }, 'invalid_json'],
    ['a boxed symbol', { n: Object(Symbol('n')) }, 'invalid_json'],
    ['a function', { n: () => 1 }, 'invalid_json'],
    ['a function in a list', { n: [() => 1] }, 'invalid_json'],
    ['a Map', { n: new Map([[1, 2]]) }, 'invalid_json'],
    ['a Map with a property', { n: Object.assign(new Map([[1, 2]]), { x: 1 }) }, 'invalid_json'],
    ['a Set with a property', { n: [Object.assign(new Set([1]), { x: 1 })] }, 'invalid_json'],
    ['a Set as properties', new Set([1]), 'invalid_json'],
    ['an Error', { n: new Error('no') }, 'invalid_json'],
    ['a promise', { n: Promise.resolve(1) }, 'invalid_json'],
    ['a buffer without a view', { n: new ArrayBuffer(8) }, 'invalid_json'],
    ['NaN in a typed array', { n: new Float64Array([NaN]) }, 'number_not_finite'],
    ['Infinity as raw JSON', { n: rawJson('1e999') }, 'number_not_finite'],
    ['toJSON that returns NaN', { n: withToJson(() => NaN) }, 'number_not_finite'],
    ['toJSON that returns a function', { n: withToJson(() => () => 1) }, 'invalid_json'],
    ['properties whose toJSON returns text', withToJson(() => 'text'), 'properties_not_object'],
    ['an endless list', { n: Object.assign([], { length: 4e9 }) }, 'message_too_large'],
    ['shared objects that double at each level', doubling(60), 'message_too_large'],
    ['a revoked Proxy', { n: revoked() }, 'invalid_json'],
    ['a revoked Proxy as properties', revoked(), 'invalid_json'],
    ...[null, undefined, Symbol('no'), Object.create(null), 'text'].flatMap((thrown) => [
      [
        `toJSON that throws ${typeof thrown}`,
        { n: withToJson(throwing(thrown)) },
        'invalid_json',
      ] as const,
      [
        `properties whose toJSON throws ${typeof thrown}`,
        withToJson(throwing(thrown)),
        'invalid_json',
      ] as const,
      [`a getter that throws ${typeof thrown}`, getter(throwing(thrown)), 'invalid_json'] as const,
    ]),
    ['properties of 64 levels', deep(63), 'nested_too_deep'],
    ['properties of more than 100,000 levels', deep(100_000), 'nested_too_deep'],
  ] as const)('with %s throws and affects no other call', async ([, properties, code]) => {
    await using exchange = await openExchange()
    exchange.track(1, 1)
    expect(() => exchange.analytics.track({ ...user, event: 'E', properties })).toThrow(
      expect.objectContaining({ name: 'ValidationError', code }),
    )
    exchange.track(1, 2)
    expect(await exchange.analytics.flush()).toEqual({ delivered: 2, failed: 0, pending: 0 })
    expect(exchange.events).toEqual([1, 2])
  })

  test.for([
    ['a getter that throws null', getter(throwing(null)), 'invalid_json'],
    ['a revoked Proxy', revoked(), 'invalid_json'],
    ['an id that only its prototype has', Object.create({ userId: 'u1' }), 'no_user_anon_id'],
    ['a Map as context', { ...user, context: new Map([['a', 1]]) }, 'invalid_json'],
    ['an Error as context', { ...user, context: new Error('no') }, 'invalid_json'],
    [
      'context whose toJSON returns text',
      { ...user, context: withToJson(() => 'x') },
      'context_not_object',
    ],
  ] as const)('that is or has %s throws', async ([, call, code]) => {
    await using exchange = await openExchange()
    const make = () => exchange.analytics.track({ event: 'E', ...call } as never)
    const unspread = () => exchange.analytics.identify(call as never)
    expect(code === 'context_not_object' ? make : unspread).toThrow(
      expect.objectContaining({ name: 'ValidationError', code }),
    )
    expect(exchange.analytics.stats.queued).toBe(0)
  })

  test('is not replaced by its toJSON, and the toJSON of the context cannot replace context.library', async () => {
    await using exchange = await openExchange()
    const toJSON = () => ({ replaced: true })
    const context: object = { app: 'x', toJSON: () => ({ app: 'y', library: 'mine' }) }
    const itself = {
      app: 'x',
      toJSON(this: object) {
        return this
      },
    }
    exchange.analytics.track({ ...user, event: 'E', toJSON, context } as never)
    exchange.analytics.track({ ...user, event: 'F', context: itself })
    await exchange.analytics.flush()
    expect(exchange.messages).toMatchObject([
      { ...user, event: 'E', context: { app: 'y', library: LIBRARY } },
      { ...user, event: 'F', context: { app: 'x', library: LIBRARY } },
    ])
    expect(exchange.messages[0]).not.toHaveProperty('replaced')
  })

  test('is sent as validated: each value is read once', async () => {
    await using exchange = await openExchange()
    const first = (value: unknown, later: unknown) => {
      const values: unknown[] = [value]
      return { get: () => values.pop() ?? later, enumerable: true }
    }
    const properties = Object.defineProperty({}, 'n', first(1, Number.NaN))
    const time = '2026-11-20T08:00:00Z'
    const times = [time]
    const timestamp = { toJSON: () => times.pop() ?? 'later' }
    const fields = { event: 'E', properties, timestamp }
    const call = Object.defineProperty(fields, 'userId', first('u1', ''))
    exchange.analytics.track(call as never)
    await exchange.analytics.flush()
    expect(exchange.messages).toMatchObject([
      { userId: 'u1', properties: { n: 1 }, timestamp: time },
    ])
  })

  test('contains boxed and custom values as JSON.stringify writes them', async () => {
    await using exchange = await openExchange()
    const properties = {
      boxed: [new Number(1), new String('s'), new Boolean(false)],
      bytes: new Uint8Array([1, 2]),
      buffer: Buffer.from('b'),
      url: new URL('http://x/'),
      missing: Object.assign([undefined, null], { length: 3 }),
      proxy: new Proxy({ a: 1 }, {}),
      bare: Object.assign(Object.create(null), { a: 1 }),
      half: 'x\ud83d',
      at: new Date(0),
      empty: [{}, [], Object.create(null)],
      big: rawJson('12345678901234567890'),
      [Symbol('key')]: 1,
      ...(JSON.parse('{"__proto__":{"a":1},"constructor":{"b":[2]}}') as object),
    }
    const json = JSON.stringify(properties)
    exchange.analytics.track({ ...user, event: 'E', properties })
    await exchange.analytics.flush()
    expect(bodyOf(exchange.receiver.requests[0]!).toString()).toContain(json)
  })

  test.for(['messageId', 'userId', 'anonymousId', 'groupId', 'previousId'])(
    'with a lone surrogate in %s throws id_not_unicode',
    async (name) => {
      await using exchange = await openExchange()
      for (const half of ['u\ud83d', '\ude00', '\ude00\ud83d']) {
        const call = { ...user, groupId: 'g', previousId: 'p', [name]: half }
        const type = name === 'previousId' ? 'alias' : 'group'
        expect(() => exchange.analytics[type](call as never)).toThrow(
          expect.objectContaining({ name: 'ValidationError', code: 'id_not_unicode' }),
        )
      }
      exchange.analytics.group({ ...user, groupId: 'g', [name]: '😀' })
      expect(await exchange.analytics.flush()).toMatchObject({ delivered: 1 })
    },
  )

  test('with null, undefined and properties of 63 levels arrives', async () => {
    await using exchange = await openExchange()
    const properties = { coupon: null, gone: undefined, text: 'null', deep: deep(61) }
    exchange.analytics.track({ ...user, event: 'E', properties })
    await exchange.analytics.flush()
    expect(exchange.messages[0]!.properties).toEqual({ coupon: null, text: 'null', deep: deep(61) })
  })

  test('throws an error that names the value that JSON cannot represent', async () => {
    await using exchange = await openExchange()
    const properties = { revenue: Number.NaN }
    expect(() => exchange.analytics.track({ ...user, event: 'E', properties })).toThrow(
      'number_not_finite: revenue is NaN',
    )
  })

  test('over 32 KiB of UTF-8 throws message_too_large; one of exactly 32 KiB arrives', async () => {
    await using exchange = await openExchange()
    const { analytics } = exchange
    const ids = { ...user, messageId: 'm', timestamp: '2026-01-01', event: 'E' }
    analytics.track({ ...ids, properties: { text: '' } })
    await analytics.flush()
    const rest = 32_768 - JSON.stringify(exchange.messages[0]).length
    const text = 'é😀'.repeat(Math.floor(rest / 6)) + 'x'.repeat(rest % 6)
    expect(() => analytics.track({ ...ids, properties: { text: `${text}x` } })).toThrow(
      expect.objectContaining({ code: 'message_too_large' }),
    )
    analytics.track({ ...ids, properties: { text } })
    expect(await analytics.flush()).toMatchObject({ delivered: 1 })
    expect(Buffer.byteLength(JSON.stringify(exchange.messages[1]))).toBe(32_768)
  })

  test('that throws is not counted', async () => {
    await using exchange = await openExchange()
    expect(() => exchange.analytics.track({} as never)).toThrow(ValidationError)
    expect(exchange.analytics.stats).toEqual({
      queued: 0,
      delivered: 0,
      failed: 0,
      dropped: 0,
      pending: 0,
    })
  })

  test('on a disabled client is validated but not sent', async () => {
    await using exchange = await openExchange({ enabled: false, flushAt: 1 })
    exchange.track(3)
    expect(() => exchange.analytics.track({} as never)).toThrow(ValidationError)
    expect(await exchange.analytics.flush()).toEqual({ delivered: 0, failed: 0, pending: 0 })
    expect(exchange.receiver.requests).toEqual([])
  })
})
