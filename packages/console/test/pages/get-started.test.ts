import type { Destination } from '@hookline/cli/management-client'
import { expect, test } from 'vitest'
import { isSigned, verifiedWith } from '../../src/pages/get-started/steps.ts'

type Signature = Destination['settings']['signature']

const OWN = { secret: { set: true } }
const NONE = {}

test.for<[Signature, boolean, object[], boolean, string]>([
  ['secret', false, [NONE], false, 'shared secret'],
  ['secret', true, [NONE], true, 'shared secret'],
  ['secret', false, [OWN], true, 'webhook secret'],
  ['secret', false, [OWN, OWN], true, 'webhook secret'],
  ['secret', false, [OWN, NONE], false, 'webhook secret'],
  ['ed25519', false, [NONE], true, 'public key'],
  ['ed25519', true, [OWN], true, 'public key'],
  ['both', false, [NONE], true, 'public key'],
  ['both', true, [NONE], true, 'shared secret'],
])(
  'with the signature %s, a shared secret (%s) and the webhooks %j, Get started shows the right key',
  ([signature, set, webhooks, signed, key]) => {
    const settings = { signature, sharedSecret: { set }, webhooks }
    const destination = { settings } as unknown as Destination
    expect([isSigned(destination), verifiedWith(destination)]).toEqual([signed, key])
  },
)

test('without a destination, nothing is signed', () => {
  expect(isSigned(undefined)).toBe(false)
})
