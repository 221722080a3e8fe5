import { expect, it } from 'vitest'
import { activeKeys } from '../../src/signatures/signers.ts'
import type { SigningKey, WebhooksSettings } from '../../src/destination.ts'

const NOW = 1_000
const [FIRST, NEXT] = [{ privateKey: 'first' }, { privateKey: 'next' }]

const activeKeysOf = (signingKeys: readonly SigningKey[]) => {
  const settings: WebhooksSettings = {
    sharedSecret: null,
    signature: 'ed25519',
    signingKeys,
    webhooks: [],
    successPolicy: 'any',
  }
  return activeKeys(settings, NOW).map(({ privateKey }) => privateKey)
}

it('the first published key signs even before it takes effect, so that requests are never unsigned', () => {
  expect(activeKeysOf([{ ...FIRST, from: NOW + 1 }])).toEqual(['first'])
  expect(
    activeKeysOf([
      { ...FIRST, until: NOW },
      { ...NEXT, from: NOW + 1 },
    ]),
  ).toEqual(['next'])
})
