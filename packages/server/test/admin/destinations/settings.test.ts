import type { WebhooksSettings } from '@hookline/protocol'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  parseWebhooksSettings,
  presentWebhooksSettings,
} from '../../../src/admin/destinations/settings.ts'
import { errorsOf, settingsOf } from './parsed-settings.ts'

const URL_A = 'https://a.example/in'
const url = (length: number) => `https://a.example/${'x'.repeat(length - 18)}`
const webhooks = (...entries: unknown[]) => ({ webhooks: entries })
const headers = (sent: unknown) => webhooks({ url: URL_A, headers: sent })
const numbered = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 'v']))

test('absent fields have their defaults', () => {
  expect(settingsOf(webhooks({ url: URL_A }))).toEqual({
    sharedSecret: null,
    webhooks: [{ url: URL_A, headers: {} }],
    successPolicy: 'any',
  })
})

test('webhookUrl is shorthand for a list of one webhook without headers', () => {
  expect(settingsOf({ webhookUrl: URL_A }).webhooks).toEqual([{ url: URL_A, headers: {} }])
})

test.each([
  ['https://EXAMPLE.com', 'https://example.com/'],
  ['HTTP://example.com:80/a/../b', 'http://example.com/b'],
  [' https://example.com/ä?q=1 ', 'https://example.com/%C3%A4?q=1'],
  ['http://[::1]:8080/in', 'http://[::1]:8080/in'],
  [url(2048), url(2048)],
])('an http or https URL is stored in its WHATWG form: %j', (sent, stored) => {
  expect(settingsOf({ webhookUrl: sent }).webhooks[0]?.url).toBe(stored)
})

test.each<[string, unknown, string[]]>([
  ['nothing', undefined, [' required']],
  ['a list', [], [' invalid_type']],
  ['null', null, [' invalid_type']],
  ['an unknown field', { ...webhooks({ url: URL_A }), secret: 'x' }, ['/secret unknown_field']],
  ['missing webhooks', {}, ['/webhooks required']],
  ['webhooks set to null', { webhooks: null }, ['/webhooks invalid_type']],
  ['webhooks that are not a list', { webhooks: { url: URL_A } }, ['/webhooks invalid_type']],
  ['an empty list of webhooks', webhooks(), ['/webhooks too_few']],
  [
    'six webhooks',
    webhooks(...[1, 2, 3, 4, 5, 6].map((n) => ({ url: `${URL_A}/${n}` }))),
    ['/webhooks too_many'],
  ],
  ['both forms', { ...webhooks({ url: URL_A }), webhookUrl: URL_A }, ['/webhookUrl exclusive']],
  ['webhookUrl set to null', { webhookUrl: null }, ['/webhookUrl invalid_type']],
  ['webhookUrl with another scheme', { webhookUrl: 'ftp://a' }, ['/webhookUrl scheme_not_allowed']],
  ['a webhook that is a string', webhooks(URL_A), ['/webhooks/0 invalid_type']],
  [
    'an unknown field of a webhook',
    webhooks({ url: URL_A, header: {} }),
    ['/webhooks/0/header unknown_field'],
  ],
  ['a webhook without URL', webhooks({}), ['/webhooks/0/url required']],
  ['a URL that is a number', webhooks({ url: 1 }), ['/webhooks/0/url invalid_type']],
  ['an empty URL', webhooks({ url: '' }), ['/webhooks/0/url invalid_url']],
  ['a URL without protocol', webhooks({ url: 'a.example/in' }), ['/webhooks/0/url invalid_url']],
  ['a URL without host', webhooks({ url: 'https://' }), ['/webhooks/0/url invalid_url']],
  [
    'a path where the host should be',
    webhooks({ url: 'http:///path' }),
    ['/webhooks/0/url invalid_url'],
  ],
  ['a URL without slashes', webhooks({ url: 'http:a.example' }), ['/webhooks/0/url invalid_url']],
  ['a script', webhooks({ url: 'javascript:x' }), ['/webhooks/0/url scheme_not_allowed']],
  ['a user', webhooks({ url: 'https://u@a.example' }), ['/webhooks/0/url credentials_in_url']],
  ['a password', webhooks({ url: 'https://:p@a.example' }), ['/webhooks/0/url credentials_in_url']],
  ['a fragment', webhooks({ url: 'https://a.example/#x' }), ['/webhooks/0/url fragment_in_url']],
  ['an empty fragment', webhooks({ url: `${URL_A}#` }), ['/webhooks/0/url fragment_in_url']],
  [
    'a database port',
    webhooks({ url: 'https://a.example:5432/' }),
    ['/webhooks/0/url port_not_allowed'],
  ],
  ['a mail port', { webhookUrl: 'http://a.example:25' }, ['/webhookUrl port_not_allowed']],
  [
    'TLS to the inspector',
    { webhookUrl: 'https://inspector.internal/' },
    ['/webhookUrl not_the_inspector'],
  ],
  [
    'a port for the inspector',
    { webhookUrl: 'http://inspector.internal:8080/' },
    ['/webhookUrl not_the_inspector'],
  ],
  ['port 0', webhooks({ url: 'http://a.example:0' }), ['/webhooks/0/url port_not_allowed']],
  ['a long URL', webhooks({ url: url(2049) }), ['/webhooks/0/url too_long']],
  [
    'a URL that is too long when encoded',
    webhooks({ url: `https://a.example/${'ä'.repeat(400)}` }),
    ['/webhooks/0/url too_long'],
  ],
  [
    'the same URL in another form',
    webhooks({ url: 'https://a.example' }, { url: 'HTTPS://A.example:443/' }),
    ['/webhooks/1/url duplicate_url'],
  ],
  ['headers set to null', headers(null), ['/webhooks/0/headers invalid_type']],
  ['headers in a list', headers([]), ['/webhooks/0/headers invalid_type']],
  ['six headers', headers(numbered(6)), ['/webhooks/0/headers too_many']],
  ['an empty name', headers({ '': 'v' }), ['/webhooks/0/headers/ invalid_header_name']],
  ['a space in a name', headers({ 'a b': 'v' }), ['/webhooks/0/headers/a b invalid_header_name']],
  ['a slash in a name', headers({ 'a/b': 'v' }), ['/webhooks/0/headers/a~1b invalid_header_name']],
  [
    'a line break in a name',
    headers({ 'a\n': 'v' }),
    ['/webhooks/0/headers/a\n invalid_header_name'],
  ],
  [
    'the same name in upper and lower case',
    headers({ K: 'v', k: 'w' }),
    ['/webhooks/0/headers/k duplicate_header'],
  ],
  ['a number as a value', headers({ k: 1 }), ['/webhooks/0/headers/k invalid_type']],
  ['an empty value', headers({ k: '' }), ['/webhooks/0/headers/k invalid_header_value']],
  ['a line break', headers({ k: 'v\r\nx: y' }), ['/webhooks/0/headers/k invalid_header_value']],
  ['a tab', headers({ k: 'a\tb' }), ['/webhooks/0/headers/k invalid_header_value']],
  ['a space at the end', headers({ k: 'v ' }), ['/webhooks/0/headers/k invalid_header_value']],
  ['a value beyond ASCII', headers({ k: 'ä' }), ['/webhooks/0/headers/k invalid_header_value']],
  ['a long value', headers({ k: 'v'.repeat(1025) }), ['/webhooks/0/headers/k too_long']],
  [
    'a hidden value without a stored one',
    headers({ k: { set: true } }),
    ['/webhooks/0/headers/k hidden_value_unknown'],
  ],
  ['an empty secret', { webhookUrl: URL_A, sharedSecret: '' }, ['/sharedSecret empty']],
  [
    'a secret that is a number',
    { webhookUrl: URL_A, sharedSecret: 1 },
    ['/sharedSecret invalid_type'],
  ],
  [
    'a long secret',
    { webhookUrl: URL_A, sharedSecret: 'x'.repeat(1025) },
    ['/sharedSecret too_long'],
  ],
  ...['whsec_', 'whsec_no base64!', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS-', 'whsec_MfKQ9r8'].map(
    (sharedSecret): [string, object, string[]] => [
      `the secret ${sharedSecret}, which is not valid base64`,
      { webhookUrl: URL_A, sharedSecret },
      ['/sharedSecret not_base64'],
    ],
  ),
  [
    'a hidden secret without a stored one',
    { webhookUrl: URL_A, sharedSecret: { set: true } },
    ['/sharedSecret hidden_value_unknown'],
  ],
  ['another policy', { webhookUrl: URL_A, successPolicy: 'all' }, ['/successPolicy not_allowed']],
])('refuses %s', (_what, input, errors) => {
  expect(errorsOf(input)).toEqual(errors)
})

test.each([
  'Content-Type',
  'content-length',
  'HOST',
  'connection',
  'transfer-encoding',
  'Upgrade',
  'expect',
  'Keep-Alive',
  'TE',
  'trailer',
  'User-Agent',
  'Accept-Encoding',
  'X-Signature',
  'webhook-id',
  'webhook-timestamp',
  'webhook-signature',
  'Proxy-Authorization',
  'proxy-',
  'X-Hookline-Attempt',
  'traceparent',
  'Tracestate',
])('refuses the reserved header %s', (name) => {
  expect(errorsOf(headers({ [name]: 'v' }))).toEqual([
    `/webhooks/0/headers/${name} reserved_header`,
  ])
})

test('accepts all values at their limits', () => {
  const sent = {
    sharedSecret: 'ä'.repeat(1024),
    webhooks: [1, 2, 3, 4, 5].map((n) => ({
      url: `${URL_A}/${n}`,
      headers: { ...numbered(4), "!#$%&'*+-.^_`|~9Z": `a ${'v'.repeat(1022)}` },
    })),
    successPolicy: 'each',
  }
  expect(settingsOf(sent)).toEqual(sent)
})

test('accepts a port for other services only if the operator allows it', () => {
  const input = webhooks({ url: 'https://a.example:9200/' }, { url: 'https://a.example:9300/' })
  const parsed = parseWebhooksSettings(input, undefined, { allowedPorts: new Set([9200]) })
  const errors = 'errors' in parsed ? parsed.errors : []
  expect(errors.map(({ pointer }) => pointer)).toEqual(['/webhooks/1/url'])
  expect(errors[0]).toMatchObject({
    message: 'Port 9300 is reserved for Elasticsearch.',
    hint: expect.stringContaining('allowedPorts'),
  })
})

test('does not check the port of a stored webhook if the change omits it', () => {
  const stored = parseWebhooksSettings(webhooks({ url: 'https://a.example:9200/' }), undefined, {
    allowedPorts: new Set([9200]),
  })
  if ('errors' in stored) expect.fail()
  expect(settingsOf({ successPolicy: 'each' }, stored.settings).webhooks).toHaveLength(1)
})

test('returns all errors together, each with a message and a hint', () => {
  const parsed = parseWebhooksSettings({
    sharedSecret: '',
    successPolicy: 'none',
    sucessPolicy: 'any',
    webhooks: [{ url: 'https://u:p@a.example/#x', headers: { host: 'a', 'b c': '' } }, 7],
  })
  const errors = 'errors' in parsed ? parsed.errors : []
  expect(errors.map(({ pointer }) => pointer).toSorted()).toEqual([
    '/sharedSecret',
    '/successPolicy',
    '/sucessPolicy',
    '/webhooks/0/headers/b c',
    '/webhooks/0/headers/host',
    '/webhooks/0/url',
    '/webhooks/0/url',
    '/webhooks/1',
  ])
  expect(errors.every(({ message, hint }) => message.length > 5 && hint.length > 5)).toBe(true)
  expect(errors.find(({ pointer }) => pointer === '/sucessPolicy')?.hint).toBe(
    'Did you mean successPolicy?',
  )
})

test('no error quotes a value', () => {
  const planted = 'PLANTED'
  const parsed = parseWebhooksSettings({
    sharedSecret: planted.repeat(200),
    successPolicy: planted,
    webhooks: [{ url: `ftp://${planted}@a`, headers: { host: planted, k: `${planted}\n` } }],
  })
  expect(parsed).toHaveProperty('errors')
  expect(JSON.stringify(parsed)).not.toContain(planted)
})

const stored: WebhooksSettings = {
  sharedSecret: 'correct horse battery',
  webhooks: [{ url: URL_A, headers: { Authorization: 'Bearer abc', 'X-Team': 'crm' } }],
  successPolicy: 'each',
}

test('a change replaces the present fields and keeps the others', () => {
  expect(settingsOf(undefined, stored)).toEqual(stored)
  expect(settingsOf({}, stored)).toEqual(stored)
  expect(settingsOf({ sharedSecret: null }, stored)).toEqual({ ...stored, sharedSecret: null })
  expect(settingsOf({ successPolicy: 'any' }, stored)).toEqual({ ...stored, successPolicy: 'any' })
  expect(settingsOf(headers({ k: 'v' }), stored).webhooks).toEqual([
    { url: URL_A, headers: { k: 'v' } },
  ])
})

test('a hidden header value keeps the stored one for the same URL only, in any letter case', () => {
  const hidden = { authorization: { set: true }, 'x-new': 'v' }
  expect(settingsOf(headers(hidden), stored).webhooks[0]?.headers).toEqual({
    authorization: 'Bearer abc',
    'x-new': 'v',
  })
  const elsewhere = webhooks({ url: 'https://evil.example/', headers: hidden })
  expect(errorsOf(elsewhere, stored)).toEqual([
    '/webhooks/0/headers/authorization hidden_value_unknown',
  ])
})

test('a hidden secret keeps the stored one, or keeps it unset', () => {
  expect(settingsOf({ sharedSecret: { set: true } }, stored)).toEqual(stored)
  expect(settingsOf({ sharedSecret: { set: false } }, { ...stored, sharedSecret: null })).toEqual({
    ...stored,
    sharedSecret: null,
  })
})

test('settings are shown without secrets', () => {
  expect(presentWebhooksSettings(stored)).toEqual({
    sharedSecret: { set: true, last4: 'tery' },
    signature: 'secret',
    webhooks: [
      {
        url: URL_A,
        headers: { Authorization: { set: true }, 'X-Team': { set: true } },
        paused: null,
      },
    ],
    successPolicy: 'each',
  })
})

test.each([
  ['12 characters', 'abcdefghijkl', { set: true, last4: 'ijkl' }],
  ['11 characters', 'abcdefghijk', { set: true }],
  ['none', null, { set: false }],
])('only a safe part of a secret is shown: %s', (_length, sharedSecret, shown) => {
  expect(presentWebhooksSettings({ ...stored, sharedSecret }).sharedSecret).toEqual(shown)
})

const token = fc.stringMatching(/^[A-Za-z-]{1,20}$/).map((name) => `k-${name}`)
const value = fc.stringMatching(/^[!-~]{1,40}$/)
const someSettings = fc.record({
  sharedSecret: fc.option(fc.string({ minLength: 1, unit: 'grapheme' })),
  webhooks: fc.uniqueArray(
    fc.record({
      url: fc.webUrl({ withQueryParameters: true }).map((text) => new URL(text).href),
      headers: fc
        .uniqueArray(fc.tuple(token, value), {
          maxLength: 5,
          selector: ([name]) => name.toLowerCase(),
        })
        .map((entries) => Object.fromEntries(entries)),
    }),
    { minLength: 1, maxLength: 5, selector: (webhook) => webhook.url },
  ),
  successPolicy: fc.constantFrom('any' as const, 'each' as const),
})

test('settings that are sent back as shown change nothing', () => {
  fc.assert(
    fc.property(someSettings, (settings) => {
      const sent = JSON.parse(JSON.stringify(presentWebhooksSettings(settings))) as unknown
      expect(settingsOf(sent, settings)).toEqual(settings)
      expect(settingsOf(settings)).toEqual(settings)
    }),
  )
})

test('any value is either parsed or has errors', () => {
  const anything = fc.oneof(
    fc.anything(),
    fc.record({ webhooks: fc.array(fc.anything()), sharedSecret: fc.anything() }),
    fc.record({ webhooks: fc.array(fc.record({ url: fc.string(), headers: fc.object() })) }),
  )
  fc.assert(
    fc.property(anything, (input) => {
      const parsed = parseWebhooksSettings(input)
      if ('errors' in parsed) expect(parsed.errors.length).toBeGreaterThan(0)
      else expect(settingsOf(parsed.settings)).toEqual(parsed.settings)
    }),
  )
})

test('a webhook stays paused when its settings change, even if `paused` is null', () => {
  const paused = { since: 1, reason: 'webhook_gone' } as const
  const [webhook] = stored.webhooks
  const previous = { ...stored, webhooks: [{ ...webhook!, paused }] }
  const sent = { webhooks: [{ url: URL_A, paused: null }, { url: 'https://b.example/in' }] }
  const parsed = parseWebhooksSettings(sent, previous) as { settings: typeof stored }
  expect(parsed.settings.webhooks.map((each) => each.paused)).toEqual([paused, undefined])
})
