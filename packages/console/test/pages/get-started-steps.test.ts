import type { Destination } from '@hookline/cli/management-client'
import { expect, test } from 'vitest'
import { isSigned } from '../../src/pages/get-started/steps.ts'

const [SET, NONE] = [{ set: true }, { set: false }]

test.each([
  ['without a secret', { sharedSecret: NONE, signature: 'secret', webhooks: [{}] }, false],
  ['with a shared secret', { sharedSecret: SET, signature: 'secret', webhooks: [{}] }, true],
  [
    'with a secret of each webhook',
    { sharedSecret: NONE, signature: 'secret', webhooks: [{ secret: SET }, { secret: SET }] },
    true,
  ],
  [
    'with a secret of one of its webhooks',
    { sharedSecret: NONE, signature: 'secret', webhooks: [{ secret: SET }, {}] },
    false,
  ],
  ['with a key pair', { sharedSecret: NONE, signature: 'ed25519', webhooks: [{}] }, true],
])('whether all requests of a destination %s are signed', (_what, settings, expected) => {
  expect(isSigned({ settings } as Destination)).toBe(expected)
})
