import type { Call } from './call.ts'

/** Text and numbers that careless code corrupts. */
const VALUES = {
  name: 'Zoë “Ünïcödé” 🦊 日本',
  tricky: '"\\/\b\f\n\r\t\u2028\u2029\u007f</script>&<>\'',
  nested: {
    list: [1, 'two', { three: [3.5, false, null] }],
    'key with.dot $ and space': { deep: { deeper: { deepest: 'x' } } },
  },
  tenth: 0.1,
  third: 0.3333333333333333,
  tiny: 1e-7,
  huge: 1e21,
  largest: 9007199254740991,
  integer: 42,
  negative: -17.25,
  yes: true,
  no: false,
  nothing: null,
  empty: '',
  list: [],
  object: { inner: {} },
}

const CONTEXT = {
  ip: '203.0.113.7',
  locale: 'de-DE',
  app: { name: 'Läden', version: '1.2.3' },
  active: false,
}

const PAST = '2014-12-12T19:04:59.123Z'

function track(id: string, more: Partial<Call> = {}): Call {
  return {
    id,
    type: 'track',
    userId: id,
    event: 'Event',
    ...more,
    properties: { call: id, ...more.properties },
  }
}

/** Each type of call with all its fields, and calls with timestamps and integrations. */
export function everyCall(): readonly Call[] {
  return [
    {
      id: 'identify',
      type: 'identify',
      userId: 'identify',
      traits: { call: 'identify', ...VALUES, email: 'zoe@example.com' },
      context: CONTEXT,
    },
    track('track', {
      event: 'Order Completed ✓',
      properties: { ...VALUES, revenue: 39.95 },
      context: CONTEXT,
    }),
    {
      id: 'page',
      type: 'page',
      userId: 'page',
      name: 'Docs',
      category: 'Help',
      properties: { call: 'page', url: 'https://shop.example/ä?q=1&r=2', title: 'Döcs', n: 0.1 },
    },
    {
      id: 'screen',
      type: 'screen',
      userId: 'screen',
      name: 'Home',
      properties: { call: 'screen', n: 1e21, text: '✓' },
    },
    {
      id: 'group',
      type: 'group',
      userId: 'group',
      groupId: 'g1',
      traits: { call: 'group', name: 'Acme ✓', employees: 1e21, sub: { n: 0.1 } },
    },
    { id: 'alias', type: 'alias', userId: 'alias', previousId: 'before-alias' },
    {
      id: 'anonymous',
      type: 'identify',
      anonymousId: 'anonymous',
      traits: { call: 'anonymous', plan: 'free' },
    },
    track('both-ids', { anonymousId: 'anonymous-too' }),
    track('past', { timestamp: PAST }),
    {
      id: 'past-identify',
      type: 'identify',
      userId: 'past-identify',
      traits: { call: 'past-identify' },
      timestamp: '2014-12-12T20:04:59.123+01:00',
    },
    track('before-1970', { timestamp: '1969-07-20T20:17:40.000Z' }),
    track('not-for-all', { integrations: { All: false } }),
    track('for-webhooks', { integrations: { All: false, Webhooks: true } }),
    track('not-for-webhooks', { integrations: { Webhooks: false } }),
    track('with-options', { integrations: { All: false, Webhooks: { option: 1 } } }),
    ...tracks('more', 25),
  ]
}

/** Track calls, each with `bytes` bytes of text in its properties. */
export function tracks(prefix: string, count: number, bytes = 0): readonly Call[] {
  return Array.from({ length: count }, (_, index) =>
    track(`${prefix}-${index}`, {
      properties: { index, ...(bytes > 0 && { text: 'é'.repeat(bytes / 2) }) },
    }),
  )
}

/** The id of the call whose text alone exceeds the size limit of a call. */
export const TOO_LARGE = 'too-large'

export function largeCalls(): readonly Call[] {
  return [
    track('small-before'),
    track(TOO_LARGE, { properties: { text: 'x'.repeat(33_000) } }),
    track('just-fits', { properties: { text: 'x'.repeat(31_000) } }),
    track('small-after'),
  ]
}
