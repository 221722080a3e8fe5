import type { Webhook, WebhooksSettings } from '@hookline/protocol'
import { ed25519Verifier, newPrivateKey, publicKeyOf } from '@hookline/protocol/ed25519'
import { standardSignature } from '@hookline/protocol/signature'
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { expect, onTestFinished, test, vi } from 'vitest'
import { requestHeaders, requestTo } from '../../../src/delivery/sending/webhook-request.ts'
import { NOON } from '@hookline/testing/records/accepted-event'

const body = Buffer.from('{"a":1}')
const timestamp = NOON / 1000
const webhook: Webhook = { url: 'https://example.com/', headers: {} }
const [first, second] = [newPrivateKey(), newPrivateKey()]
const settings: WebhooksSettings = {
  sharedSecret: 'shared',
  webhooks: [webhook],
  successPolicy: 'any',
}

/** The signer of each signature: the name of the key, or the secret. */
function signersIn(
  change: Partial<WebhooksSettings>,
  own: Partial<Webhook> = {},
  now = NOON,
): string[] {
  const carried = { body, deliveryId: 'msg_1', attempt: 1 }
  const request = requestTo({ ...webhook, ...own }, { ...settings, ...change }, carried, now)
  const header = requestHeaders(request, NOON)['webhook-signature'] ?? ''
  const named = (signature: string): string => {
    const signed = { id: 'msg_1', timestamp, body }
    for (const [name, key] of Object.entries({ first, second }))
      if (ed25519Verifier(publicKeyOf(key), signed)(signature)) return name
    const secrets = ['shared', 'own', 'before', 'own before']
    const signatureBy = (secret: string) => standardSignature(secret, 'msg_1', timestamp, body)
    return secrets.find((secret) => signatureBy(secret) === signature) ?? signature
  }
  return header.split(' ').map(named)
}

test('the secret of a webhook signs instead of the shared one, with its own previous secret', () => {
  const previousSecret = { secret: 'before', until: NOON + 1 }
  const ownPrevious = { secret: 'own before', until: NOON + 1 }
  expect(signersIn({ previousSecret })).toEqual(['shared', 'before'])
  expect(signersIn({ previousSecret }, { secret: 'own' })).toEqual(['own'])
  const own = { secret: 'own', previousSecret: ownPrevious }
  expect(signersIn({}, own)).toEqual(['own', 'own before'])
  expect(signersIn({}, own, NOON + 1)).toEqual(['own'])
  expect(signersIn({ sharedSecret: null }, { secret: 'own' })).toEqual(['own'])
})

test('a key signs from its start until its end, and the newest signature comes first', () => {
  const signingKeys = [
    { privateKey: first, until: NOON + 20 },
    { privateKey: second, from: NOON + 10 },
  ]
  const at = (now: number) => signersIn({ signature: 'ed25519', signingKeys }, {}, now)
  expect(at(NOON + 9)).toEqual(['first'])
  expect(at(NOON + 10)).toEqual(['second', 'first'])
  expect(at(NOON + 19)).toEqual(['second', 'first'])
  expect(at(NOON + 20)).toEqual(['second'])
  expect(signersIn({ signature: 'both', signingKeys })).toEqual(['shared', 'first'])
  // Keys that are kept for later sign nothing.
  expect(signersIn({ signingKeys })).toEqual(['shared'])
})

test('an event is signed once for each timestamp and key, however many webhooks get it', () => {
  const sign = vi.spyOn(crypto, 'sign')
  syncBuiltinESMExports()
  onTestFinished(() => {
    sign.mockRestore()
    syncBuiltinESMExports()
  })
  const keys = [{ privateKey: first }, { privateKey: second }]
  const shared = Buffer.from('{"shared":true}')
  const send = (deliveryId: string, now: number, bytes = shared): string => {
    const carried = { body: bytes, deliveryId, attempt: 1 }
    const all = { ...settings, signature: 'ed25519', signingKeys: keys } as const
    return requestHeaders(requestTo(webhook, all, carried, now), now)['webhook-signature']!
  }
  const five = Array.from({ length: 5 }, () => send('msg_1', NOON))
  expect(new Set(five).size).toBe(1)
  expect(sign).toHaveBeenCalledTimes(2)
  send('msg_1', NOON + 1000)
  expect(sign).toHaveBeenCalledTimes(4)
  // Another destination of the event, and another body with the same id.
  expect(send('msg_2', NOON)).not.toBe(five[0])
  expect(send('msg_1', NOON, Buffer.from('{}'))).not.toBe(five[0])
  expect(sign).toHaveBeenCalledTimes(8)
})
