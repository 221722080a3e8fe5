import { expect, test } from 'vitest'
import {
  authDraftOf,
  authPointer,
  emptyAuth,
  hasOtherTokenUrl,
  requestedAuth,
} from '../../src/pages/destinations/form/auth-draft.ts'

const set = { set: true } as const
const oauth2 = {
  tokenUrl: 'https://id.example/',
  clientId: 'id',
  clientSecret: set,
  scope: 'a b',
  audience: 'https://api.example/',
  resource: 'urn:a',
}
const certificate = { ...set, subject: 'CN=hookline', expiresAt: '2027-01-01T00:00:00.000Z' }

test.for([
  [{ basic: { user: 'u', password: set } }, { basic: { user: 'u', password: set } }],
  [{ bearer: set }, { bearer: set }],
  [{ oauth2 }, { oauth2 }],
  [
    { clientCertificate: { certificate, key: set } },
    { clientCertificate: { certificate: set, key: set } },
  ],
  [undefined, undefined],
] as const)('untouched authentication is sent as it is stored: %j', ([stored, requested]) => {
  expect(requestedAuth(authDraftOf(stored), true)).toEqual(requested)
})

test('a stored secret does not follow its webhook to another URL, or to another kind of authentication', () => {
  const draft = authDraftOf({ basic: { user: 'u', password: set } })
  expect(requestedAuth(draft, false)).toEqual({ basic: { user: 'u', password: '' } })
  expect(requestedAuth({ ...draft, kind: 'bearer' }, true)).toEqual({ bearer: '' })
  expect(requestedAuth({ ...draft, kind: 'none' }, true)).toBeUndefined()
})

test('a stored client secret is not kept for another token URL', () => {
  const draft = authDraftOf({ oauth2 })
  const tokenUrl = 'https://other.example/'
  const moved = { ...draft, values: { ...draft.values, tokenUrl } }
  expect(requestedAuth(moved, true)).toEqual({ oauth2: { ...oauth2, tokenUrl, clientSecret: '' } })
  expect([hasOtherTokenUrl(draft), hasOtherTokenUrl(moved)]).toEqual([false, true])
  // Leftover values of a kind that was selected briefly.
  const { values } = moved
  const basic = authDraftOf({ basic: { user: 'u', password: set } })
  expect(requestedAuth({ ...basic, values: { ...values, ...basic.values } }, true)).toEqual({
    basic: { user: 'u', password: set },
  })
})

test('entered values are sent, and an empty scope is omitted', () => {
  const values = { tokenUrl: 'https://id.example/', clientId: 'id', clientSecret: 's', scope: '' }
  const { scope: _, ...sent } = values
  expect(requestedAuth({ ...emptyAuth(), kind: 'oauth2', values }, false)).toEqual({ oauth2: sent })
})

test('the pointer of a field is the one in errors from the service', () => {
  expect(authPointer(1, 'bearer', 'bearer')).toBe('/settings/webhooks/1/auth/bearer')
  expect(authPointer(0, 'basic', 'user')).toBe('/settings/webhooks/0/auth/basic/user')
})
