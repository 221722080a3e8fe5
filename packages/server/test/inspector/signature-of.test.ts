import type { Destination, SigningKey, WebhooksSettings } from '@hookline/protocol'
import { newPrivateKey } from '@hookline/protocol/ed25519'
import { expect, test } from 'vitest'
import { requestHeaders } from '../../src/delivery/sending/webhook-request.ts'
import { signatureOf } from '../../src/inspector/inspected-request.ts'
import { NOON } from '@hookline/testing/records/accepted-event'

const URL = 'http://inspector.internal/hook?a=1'
const BODY = '{"type":"track"}'

function destination(
  id: string,
  sharedSecret: string | null,
  more: Partial<WebhooksSettings> = {},
) {
  const webhooks = [
    { url: 'https://a.example/', headers: {} },
    { url: URL, headers: {} },
  ]
  return {
    id,
    settings: { sharedSecret, webhooks, successPolicy: 'any', ...more },
  } as Destination
}

/** The signature result for a request signed with this secret. */
function resultFor(
  destinations: readonly Destination[],
  {
    secret,
    path = '/hook?a=1',
    body = BODY,
    agoMs = 0,
    signingKeys = [],
  }: {
    secret: string | null
    path?: string
    body?: string
    agoMs?: number
    signingKeys?: readonly SigningKey[]
  },
) {
  const signed = { url: URL, headers: {}, body: Buffer.from(BODY), deliveryId: 'msg_a', attempt: 1 }
  const sent = requestHeaders({ ...signed, sharedSecret: secret, signingKeys }, NOON - agoMs)
  const headers = Object.fromEntries(
    Object.entries(sent).map(([name, value]) => [name.toLowerCase(), value]),
  )
  const { signature, destinationId } = signatureOf({ path, headers, body }, destinations, NOON)
  return { destinationId, verdict: signature.verdict, reason: signature.reason }
}

const A = destination('dst_a', 'the secret of a')
const B = destination('dst_b', 'the secret of b')

test('valid: a URL with a value of the event', () => {
  const webhooks = [{ url: 'http://inspector.internal/{{userId}}', headers: {} }]
  const templated = destination('dst_t', 'the secret of t', { webhooks })
  expect(resultFor([A, templated], { secret: 'the secret of t', path: '/u1' })).toEqual({
    destinationId: 'dst_t',
    verdict: 'valid',
    reason: null,
  })
})

test('valid: names the destination with the matching secret', () => {
  const valid = { verdict: 'valid', reason: null }
  expect(resultFor([A, B], { secret: 'the secret of b' })).toEqual({
    destinationId: 'dst_b',
    ...valid,
  })
  expect(resultFor([A, B], { secret: 'the secret of a' })).toEqual({
    destinationId: 'dst_a',
    ...valid,
  })
})

test('valid: signed with the webhook secret, or with a key pair', () => {
  const webhooks = [{ url: URL, headers: {}, secret: 'the webhook secret' }]
  const own = destination('dst_o', 'the secret of a', { webhooks })
  const valid = { verdict: 'valid', reason: null }
  expect(resultFor([A, own], { secret: 'the webhook secret' })).toEqual({
    destinationId: 'dst_o',
    ...valid,
  })
  const signingKeys = [{ privateKey: newPrivateKey() }]
  const keyed = destination('dst_k', null, { signature: 'ed25519', signingKeys })
  const result = resultFor([A, own, keyed], { secret: null, signingKeys })
  expect(result).toEqual({ destinationId: 'dst_k', ...valid })
})

test('valid, but the destination is uncertain if two share a secret', () => {
  const twin = destination('dst_c', 'the secret of a')
  expect(resultFor([A, twin], { secret: 'the secret of a' })).toEqual({
    destinationId: null,
    verdict: 'valid',
    reason: null,
  })
})

test('valid with the previous secret, until its rotation ends', () => {
  const changing = (until: number) =>
    destination('dst_a', 'new', { previousSecret: { secret: 'old', until } })
  expect(resultFor([changing(NOON + 1)], { secret: 'old' }).verdict).toBe('valid')
  expect(resultFor([changing(NOON + 1)], { secret: 'new' }).verdict).toBe('valid')
  expect(resultFor([changing(NOON)], { secret: 'old' }).verdict).toBe('invalid')
})

test.each([
  ['another secret', { secret: 'other' }, /^X-Signature and webhook-signature cannot be verified/],
  ['another body', { secret: 'the secret of a', body: '{}' }, /another secret or key, or its body/],
  ['an old timestamp', { secret: 'the secret of a', agoMs: 301_000 }, /five minutes/],
  [
    'another path',
    { secret: 'the secret of a', path: '/' },
    /No destination currently has the webhook http:\/\/inspector\.internal\/\./,
  ],
])('invalid: %s', (_what, request, reason) => {
  expect(resultFor([A], request)).toMatchObject({
    verdict: 'invalid',
    reason: expect.stringMatching(reason) as string,
  })
})

test('missing: a destination without a secret does not sign', () => {
  const unsigned = destination('dst_u', null)
  expect(resultFor([A, unsigned], { secret: null })).toEqual({
    destinationId: 'dst_u',
    verdict: 'missing',
    reason: 'The webhook has neither a secret nor a signing key, so its requests are not signed.',
  })
  expect(resultFor([A], { secret: null })).toMatchObject({
    verdict: 'missing',
    reason: 'The signature header is missing.',
  })
  expect(resultFor([unsigned], { secret: 'other' })).toMatchObject({
    verdict: 'invalid',
    reason: expect.stringContaining('currently has neither a secret') as string,
  })
})
