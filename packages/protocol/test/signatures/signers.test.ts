import { expect, it } from 'vitest'
import { activeKeys } from '../../src/signatures/signers.ts'
import type { SigningKey, WebhooksSettings } from '../../src/destination.ts'

const NOW = 1_000
const [FIRST, NEXT] = [{ privateKey: 'first' }, { privateKey: 'next' }]

const activeAt = (signingKeys: readonly SigningKey[], now = NOW) => {
  const settings: WebhooksSettings = {
    sharedSecret: null,
    signature: 'ed25519',
    signingKeys,
    webhooks: [],
    successPolicy: 'any',
  }
  return activeKeys(settings, now).map(({ privateKey }) => privateKey)
}

it('signs with a key from its beginning, and with its predecessor until the overlap ends', () => {
  const keys = [
    { ...FIRST, until: NOW + 2 },
    { ...NEXT, from: NOW + 1 },
  ]
  expect([0, 1, 2].map((after) => activeAt(keys, NOW + after))).toEqual([
    ['first'],
    ['next', 'first'],
    ['next'],
  ])
})

it('signs with the first published key even before its beginning, so that requests are never unsigned', () => {
  expect(activeAt([{ ...FIRST, from: NOW + 1 }])).toEqual(['first'])
  expect(
    activeAt([
      { ...FIRST, until: NOW },
      { ...NEXT, from: NOW + 1 },
    ]),
  ).toEqual(['next'])
})
