import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  deletionPayload,
  type Event,
  type EventType,
  EVENT_TYPES,
  webhookPayload,
} from '../src/index.ts'

const stamped = {
  messageId: 'm-1',
  userId: 'u1',
  anonymousId: 'a1',
  timestamp: '2026-01-15T12:00:00.000Z',
  receivedAt: '2026-01-15T12:00:01.000Z',
  sentAt: '2026-01-15T12:00:00.500Z',
  originalTimestamp: '2026-01-15T12:00:00Z',
  integrations: { All: true },
  context: { ip: '203.0.113.9' },
}

const expectedPayloads: Record<EventType, [Omit<Event, keyof typeof stamped | 'type'>, string]> = {
  identify: [
    { traits: { plan: 'pro', logins: 5 } },
    '{"version":1,"type":"identify","messageId":"m-1","anonymousId":"a1","userId":"u1","traits":{"plan":"pro","logins":5},"context":{"ip":"203.0.113.9"},"timestamp":"2026-01-15T12:00:00.000Z"}',
  ],
  track: [
    { event: 'Order Completed', properties: { revenue: 39.95 } },
    '{"version":1,"type":"track","messageId":"m-1","anonymousId":"a1","userId":"u1","event":"Order Completed","properties":{"revenue":39.95},"context":{"ip":"203.0.113.9"},"timestamp":"2026-01-15T12:00:00.000Z"}',
  ],
  page: [
    {
      name: 'Pricing',
      category: 'Docs',
      properties: { path: '/', referrer: '', title: 'P', url: 'https://x.example/' },
    },
    '{"version":1,"type":"page","messageId":"m-1","anonymousId":"a1","userId":"u1","name":"Pricing","category":"Docs","properties":{"path":"/","referrer":"","title":"P","url":"https://x.example/"},"context":{"ip":"203.0.113.9"},"timestamp":"2026-01-15T12:00:00.000Z"}',
  ],
  screen: [
    { name: 'Home' },
    '{"version":1,"type":"screen","messageId":"m-1","anonymousId":"a1","userId":"u1","name":"Home","properties":{},"context":{"ip":"203.0.113.9"},"timestamp":"2026-01-15T12:00:00.000Z"}',
  ],
  group: [
    { groupId: 'g1', traits: { 'Company Name': 'Initech', employees: 7 } },
    '{"version":1,"type":"group","messageId":"m-1","anonymousId":"a1","userId":"u1","groupId":"g1","traits":{"Company Name":"Initech","employees":7},"context":{"ip":"203.0.113.9"},"timestamp":"2026-01-15T12:00:00.000Z"}',
  ],
  alias: [
    { previousId: 'a0' },
    '{"version":1,"type":"alias","messageId":"m-1","Previous ID":"a0","User ID":"u1","context":{"ip":"203.0.113.9"},"timestamp":"2026-01-15T12:00:00.000Z"}',
  ],
}

describe('the payload', () => {
  test.for(EVENT_TYPES)('of %s equals the expected document byte for byte', (type) => {
    const [fields, document] = expectedPayloads[type]
    expect(webhookPayload({ ...stamped, type, ...fields })).toBe(document)
  })

  test('of a deletion notice has type, userId and timestamp, and nothing else', () => {
    expect(deletionPayload({ userId: 'u1', timestamp: stamped.timestamp })).toBe(
      '{"type":"delete","userId":"u1","timestamp":"2026-01-15T12:00:00.000Z"}',
    )
  })

  test('of a deletion notice by anonymousId names it instead of the userId', () => {
    expect(deletionPayload({ anonymousId: 'a1', timestamp: stamped.timestamp })).toBe(
      '{"type":"delete","anonymousId":"a1","timestamp":"2026-01-15T12:00:00.000Z"}',
    )
  })

  test('omits absent keys and always has context and properties', () => {
    const { messageId, timestamp, receivedAt } = stamped
    const event = {
      type: 'track',
      messageId,
      timestamp,
      receivedAt,
      event: 'E',
      userId: 'u',
      context: {},
    } as const
    expect(webhookPayload(event)).toBe(
      '{"version":1,"type":"track","messageId":"m-1","userId":"u","event":"E","properties":{},"context":{},"timestamp":"2026-01-15T12:00:00.000Z"}',
    )
  })
})

/** Multiplies the number of generated cases of `npm test`. */
const CASES = Number(process.env['HOOKLINE_TEST_CASES'] ?? 1)

/** JSON that changes when it is parsed and serialised. */
const unusual = fc.constantFrom(
  '1.0',
  '1e21',
  '1E400',
  '-0',
  '0.1e-6',
  '12345678901234567890',
  '"\\u00e9"',
  '"\\ud800"',
  '"\\u2028"',
  '{"2":1,"1":2,"a":3}',
  '{"a":1,"a":2}',
  '{"__proto__":{"x":1}}',
  '{"toJSON":1}',
  '"\\/"',
  ' [ 1 , 2 ] ',
)
const text = fc.oneof(unusual, fc.json(), fc.json({ noUnicodeString: false }))
const objectText = fc
  .array(
    fc.tuple(fc.oneof(fc.string(), fc.constantFrom('__proto__', '1', '0', 'constructor')), text),
  )
  .map(
    (members) => `{${members.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`,
  )

test('the payload is a fixed point of parse and stringify, for any JSON a client may send', () => {
  const call = fc.record({
    type: fc.constantFrom(...EVENT_TYPES),
    bag: objectText,
    context: objectText,
    id: fc.string(),
  })
  const run = fc.property(call, ({ type, bag, context, id }) => {
    const free = JSON.parse(bag) as Event['context']
    const event: Event = {
      ...stamped,
      type,
      userId: id,
      name: id,
      event: id,
      groupId: id,
      previousId: id,
      properties: free,
      traits: free,
      context: JSON.parse(context) as Event['context'],
    }
    const body = webhookPayload(event)
    expect(JSON.stringify(JSON.parse(body))).toBe(body)
    expect(Buffer.from(body, 'utf8').toString('utf8')).toBe(body)
  })
  fc.assert(run, { numRuns: 1_000 * CASES })
})
