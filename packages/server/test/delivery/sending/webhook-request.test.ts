import { RESERVED_HEADERS, reservedBy } from '@hookline/protocol'
import { standardSignature, xSignature } from '@hookline/protocol/signature'
import { describe, expect, test } from 'vitest'
import {
  refuseUnsendable,
  requestHeaders,
  requestTo,
  shownRequestHeaders,
} from '../../../src/delivery/sending/webhook-request.ts'
import { parseWebhooksSettings } from '../../../src/admin/destinations/settings.ts'
import { NOON } from '@hookline/testing/records/accepted-event'

const webhook = { url: 'https://example.com/', headers: {} }
const carried = { sourceId: 'src_a', body: Buffer.from('{"a":1}'), deliveryId: 'msg_1', attempt: 1 }
const trace = {
  traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  tracestate: 'rojo=1',
}
const settings = {
  sharedSecret: 'new',
  previousSecret: { secret: 'old', until: NOON },
  webhooks: [webhook],
  successPolicy: 'any' as const,
}
const signedWith = (secret: string): string =>
  standardSignature(secret, 'msg_1', Math.floor(NOON / 1000), carried.body)

describe('a request', () => {
  test('is also signed with the previous secret until it expires', () => {
    const during = requestHeaders(requestTo(webhook, settings, carried, NOON - 1), NOON)
    expect(during['webhook-signature']).toBe(`${signedWith('new')} ${signedWith('old')}`)
    expect(during['X-Signature']).toBe(xSignature('new', carried.body))
    const after = requestHeaders(requestTo(webhook, settings, carried, NOON), NOON)
    expect(after['webhook-signature']).toBe(signedWith('new'))
  })

  test('without a shared secret is not signed, even if there is a previous secret', () => {
    const unsigned = { ...settings, sharedSecret: null }
    const headers = requestHeaders(requestTo(webhook, unsigned, carried, NOON - 1), NOON)
    expect(Object.keys(headers).filter((name) => /signature/i.test(name))).toEqual([])
  })
})

test.for([
  { basic: { user: 'someone', password: 'a password' } },
  { bearer: 'a-token' },
  { oauth2: { tokenUrl: 'https://a.example/', clientId: 'id', clientSecret: 'a secret' } },
])('auth sets Authorization, which is shown as hidden: %j', (auth) => {
  const request = requestTo({ ...webhook, auth }, settings, carried, NOON)
  const sent = requestHeaders({ ...request, token: 'an-access-token' }, NOON)
  expect(sent['Authorization']).toMatch(/^(?:Basic|Bearer) \S/)
  expect(shownRequestHeaders(request, NOON)['Authorization']).toBe('[hidden]')
  const shown = shownRequestHeaders(request, NOON, (name) => `<${name}>`)
  expect(shown['Authorization']).toBe('<Authorization>')
})

test('a client certificate sets no Authorization, so a static one is sent', () => {
  const auth = { clientCertificate: { certificate: 'PEM', key: 'PEM' } }
  const headers = { authorization: 'static' }
  const request = requestTo({ ...webhook, headers, auth }, settings, carried, NOON)
  const sent = requestHeaders(request, NOON)
  expect([sent['authorization'], sent['Authorization']]).toEqual(['static', undefined])
})

test('every header that Hookline sets is refused as a static header', () => {
  const carriedByReplay = { ...carried, replayId: 'rpl_1', trace }
  const replayed = requestTo(webhook, settings, carriedByReplay, NOON)
  for (const name of Object.keys(requestHeaders(replayed, NOON))) {
    for (const each of [name, name.toUpperCase(), name.toLowerCase()]) {
      const input = { webhooks: [{ url: webhook.url, headers: { [each]: 'v' } }] }
      expect(parseWebhooksSettings(input)).toMatchObject({ errors: [{ code: 'reserved_header' }] })
    }
  }
  for (const name of RESERVED_HEADERS.connection.map((each) => each.replace('*', 'x')))
    expect(() => refuseUnsendable({ [name]: 'v' })).toThrow('static header')
})

test('Hookline reserves exactly the headers that it sets', () => {
  const replayed = { ...carried, replayId: 'rpl_1', trace }
  const set = Object.keys(requestHeaders(requestTo(webhook, settings, replayed, NOON), NOON))
  expect(set.filter((name) => reservedBy(name) !== 'hookline')).toEqual([])
  const patterns = RESERVED_HEADERS.hookline.map((name) => name.replace('*', ''))
  const unset = patterns.filter((name) => !set.some((each) => each.toLowerCase().startsWith(name)))
  expect(unset).toEqual([])
})
