import { RESERVED_HEADERS, reservedBy } from '@hookline/protocol'
import { standardSignature, xSignature } from '@hookline/protocol/signature'
import { describe, expect, test } from 'vitest'
import { requestHeaders, requestTo } from '../../../src/delivery/sending/webhook-request.ts'
import { NOON } from '@hookline/testing/records/accepted-event'

const webhook = { url: 'https://example.com/', headers: {} }
const carried = { sourceId: 'src_a', body: Buffer.from('{"a":1}'), deliveryId: 'msg_1', attempt: 1 }
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

test('static headers are reserved if and only if Hookline sets them', () => {
  const replayed = { ...carried, replayId: 'rpl_1' }
  const set = Object.keys(requestHeaders(requestTo(webhook, settings, replayed, NOON), NOON))
  expect(set.filter((name) => reservedBy(name) !== 'hookline')).toEqual([])
  const patterns = RESERVED_HEADERS.hookline.map((name) => name.replace('*', ''))
  const unset = patterns.filter((name) => !set.some((each) => each.toLowerCase().startsWith(name)))
  expect(unset).toEqual([])
})
