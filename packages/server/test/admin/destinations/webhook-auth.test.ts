import type { WebhooksSettings } from '@hookline/protocol'
import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { makeCertificates } from '@hookline/testing/network/certificates'
import {
  exportWebhooksSettings,
  parseWebhooksSettings,
  presentWebhooksSettings,
} from '../../../src/admin/destinations/settings.ts'
import { errorsOf, settingsOf } from './parsed-settings.ts'

const URL_A = 'https://a.example/in'
const { good, clients, expired, selfSigned } = makeCertificates()
const clientCertificate = { certificate: clients[0].cert, key: clients[0].key }
const oauth2 = {
  tokenUrl: 'https://id.example/token',
  clientId: 'hookline',
  clientSecret: 'a client secret',
  scope: 'hooks read',
  audience: 'https://api.example/',
  resource: 'urn:example:hooks',
}
const basic = { user: 'someone', password: 'a password' }
const SET = { set: true }

const withAuth = (auth: unknown, more: object = {}) => ({
  webhooks: [{ url: URL_A, auth, ...more }],
})

/** The errors, with pointers relative to the authentication. */
function authErrors(input: unknown, previous?: WebhooksSettings): string[] {
  return errorsOf(input, previous).map((each) => each.replace('/webhooks/0/auth', ''))
}

const authIn = (settings: WebhooksSettings) => settings.webhooks[0]!.auth

test.for([
  [{ basic }, { basic: { user: 'someone', password: SET } }],
  [{ bearer: 'a-token' }, { bearer: SET }],
  [{ oauth2 }, { oauth2: { ...oauth2, clientSecret: SET } }],
  [{ clientCertificate }, { clientCertificate: { certificate: SET, key: SET } }],
] as const)('secrets are stored and hidden: %j', ([auth, hidden]) => {
  const settings = settingsOf(withAuth(auth))
  expect(authIn(settings)).toEqual(auth)
  const exported = exportWebhooksSettings(settings, false)
  expect(exported).toMatchObject({ webhooks: [{ auth: hidden }] })
  expect(exportWebhooksSettings(settings, true)).toMatchObject({ webhooks: [{ auth }] })
  // Sent back, hidden values stand for the stored ones.
  const presented = presentWebhooksSettings(settings)
  expect(presented).toMatchObject({ webhooks: [{ auth: hidden }] })
  expect(settingsOf({ webhooks: presented.webhooks }, settings)).toEqual(settings)
  expect(settingsOf(exported, settings)).toEqual(settings)
  expect(settingsOf(exportWebhooksSettings(settings, true))).toEqual(settings)
})

test('a client certificate is shown with its subject and expiry', () => {
  const { webhooks } = presentWebhooksSettings(settingsOf(withAuth({ clientCertificate })))
  expect(webhooks[0]!.auth).toEqual({
    clientCertificate: {
      certificate: {
        set: true,
        subject: 'CN=client-a',
        expiresAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/),
      },
      key: SET,
    },
  })
})

test.for([null, undefined])('setting `auth` to %s removes it', (auth) => {
  const previous = settingsOf(withAuth({ basic }))
  expect(settingsOf(withAuth(auth), previous).webhooks).toEqual([{ url: URL_A, headers: {} }])
  expect(authIn(settingsOf({ successPolicy: 'each' }, previous))).toEqual({ basic })
})

test('a hidden value keeps the stored one only at the same URL and token URL', () => {
  const stored = settingsOf(withAuth({ oauth2 }))
  const hidden = { ...oauth2, clientSecret: SET }
  const renamed = { oauth2: { ...hidden, clientId: 'other' } }
  expect(authIn(settingsOf(withAuth(renamed), stored))).toEqual({
    oauth2: { ...oauth2, clientId: 'other' },
  })
  const unknown = ['/oauth2/clientSecret hidden_value_unknown']
  const elsewhere = { oauth2: { ...hidden, tokenUrl: 'https://other.example/token' } }
  expect(authErrors(withAuth(elsewhere), stored)).toEqual(unknown)
  expect(authErrors(withAuth({ oauth2: hidden }, { url: 'https://b.example/' }), stored)).toEqual(
    unknown,
  )
  expect(authErrors(withAuth({ bearer: SET }), stored)).toEqual(['/bearer hidden_value_unknown'])
})

const smallKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
const encrypted = smallKey.export({
  type: 'pkcs8',
  format: 'pem',
  cipher: 'aes-256-cbc',
  passphrase: 'x',
})
const tooLong = 'x'.repeat(4097)

test.for<readonly [name: string, auth: unknown, errors: readonly string[]]>([
  ['a string', 'Basic x', [' invalid_type']],
  ['a list', [], [' invalid_type']],
  ['an empty object', {}, [' required']],
  ['two kinds', { basic, bearer: 'x' }, [' exclusive']],
  ['an unknown kind', { digest: {} }, ['/digest unknown_field', ' required']],
  [
    'the kind __proto__',
    JSON.parse('{"__proto__": {}}'),
    ['/__proto__ unknown_field', ' required'],
  ],
  ['`basic` without a password', { basic: { user: 'u' } }, ['/basic/password required']],
  ['`basic` with null', { basic: null }, ['/basic invalid_type']],
  [
    '`basic` with an unknown field',
    { basic: { ...basic, realm: 'r' } },
    ['/basic/realm unknown_field'],
  ],
  ['a colon in the user', { basic: { ...basic, user: 'a:b' } }, ['/basic/user invalid_characters']],
  ['a hidden user', { basic: { ...basic, user: SET } }, ['/basic/user invalid_type']],
  [
    'a line break in the password',
    { basic: { ...basic, password: 'a\r\nb' } },
    ['/basic/password invalid_characters'],
  ],
  [
    'NUL in the password',
    { basic: { ...basic, password: '\0' } },
    ['/basic/password invalid_characters'],
  ],
  [
    'a lone surrogate in the password',
    { basic: { ...basic, password: '\ud800' } },
    ['/basic/password invalid_characters'],
  ],
  ['a long password', { basic: { ...basic, password: tooLong } }, ['/basic/password too_long']],
  ['an empty bearer token', { bearer: '' }, ['/bearer empty']],
  ['a bearer token with its scheme', { bearer: 'Bearer x' }, ['/bearer invalid_characters']],
  ['a line break in the bearer token', { bearer: 'x\n' }, ['/bearer invalid_characters']],
  ['a bearer token beyond ASCII', { bearer: 'ü' }, ['/bearer invalid_characters']],
  ['a long bearer token', { bearer: tooLong }, ['/bearer too_long']],
  ['a number as bearer token', { bearer: 1 }, ['/bearer invalid_type']],
  [
    '`oauth2` without fields',
    { oauth2: {} },
    ['/oauth2/tokenUrl required', '/oauth2/clientId required', '/oauth2/clientSecret required'],
  ],
  [
    'a file as token URL',
    { oauth2: { ...oauth2, tokenUrl: 'file:///etc/passwd' } },
    ['/oauth2/tokenUrl scheme_not_allowed'],
  ],
  [
    'a token URL with a password',
    { oauth2: { ...oauth2, tokenUrl: 'https://u:p@id.example/' } },
    ['/oauth2/tokenUrl credentials_in_url'],
  ],
  [
    'a database as token URL',
    { oauth2: { ...oauth2, tokenUrl: 'http://id.example:5432/' } },
    ['/oauth2/tokenUrl port_not_allowed'],
  ],
  [
    'the inspector as token URL',
    { oauth2: { ...oauth2, tokenUrl: 'http://inspector.internal/' } },
    ['/oauth2/tokenUrl not_allowed'],
  ],
  [
    'a template in the token URL',
    { oauth2: { ...oauth2, tokenUrl: 'https://id.example/{{userId}}' } },
    ['/oauth2/tokenUrl placeholder_not_allowed'],
  ],
  [
    'a line break in the client id',
    { oauth2: { ...oauth2, clientId: 'a\nb' } },
    ['/oauth2/clientId invalid_characters'],
  ],
  [
    'an empty client secret',
    { oauth2: { ...oauth2, clientSecret: '' } },
    ['/oauth2/clientSecret empty'],
  ],
  [
    'two spaces in the scope',
    { oauth2: { ...oauth2, scope: 'a  b' } },
    ['/oauth2/scope invalid_characters'],
  ],
  ['an empty audience', { oauth2: { ...oauth2, audience: '' } }, ['/oauth2/audience empty']],
  [
    'a long resource',
    { oauth2: { ...oauth2, resource: 'x'.repeat(4_097) } },
    ['/oauth2/resource too_long'],
  ],
  ['an empty scope', { oauth2: { ...oauth2, scope: '' } }, ['/oauth2/scope empty']],
  [
    'a certificate without key',
    { clientCertificate: { certificate: good.cert } },
    ['/clientCertificate/key required'],
  ],
  [
    'a certificate that is not PEM',
    { clientCertificate: { ...clientCertificate, certificate: 'x' } },
    ['/clientCertificate/certificate invalid_characters'],
  ],
  [
    'a key as certificate',
    { clientCertificate: { ...clientCertificate, certificate: good.key } },
    ['/clientCertificate/certificate invalid_certificate'],
  ],
  [
    'a truncated certificate',
    { clientCertificate: { ...clientCertificate, certificate: good.cert.slice(0, 200) } },
    ['/clientCertificate/certificate invalid_certificate'],
  ],
  [
    'a broken intermediate',
    {
      clientCertificate: {
        ...clientCertificate,
        certificate: `${clients[0].cert}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`,
      },
    },
    ['/clientCertificate/certificate invalid_certificate'],
  ],
  [
    'a certificate as key',
    { clientCertificate: { ...clientCertificate, key: good.cert } },
    ['/clientCertificate/key invalid_key'],
  ],
  [
    'an encrypted key',
    { clientCertificate: { ...clientCertificate, key: encrypted } },
    ['/clientCertificate/key invalid_key'],
  ],
  [
    'a private key in the certificate',
    {
      clientCertificate: {
        ...clientCertificate,
        certificate: clientCertificate.certificate + clientCertificate.key,
      },
    },
    ['/clientCertificate/certificate private_key_in_certificate'],
  ],
  [
    'two private keys',
    {
      clientCertificate: {
        ...clientCertificate,
        key: `${clientCertificate.key}\n${clients[1].key}`,
      },
    },
    ['/clientCertificate/key too_many'],
  ],
  [
    'the key of another certificate',
    { clientCertificate: { ...clientCertificate, key: clients[1].key } },
    ['/clientCertificate/key key_mismatch'],
  ],
  [
    'a long key',
    { clientCertificate: { ...clientCertificate, key: 'x'.repeat(32_769) } },
    ['/clientCertificate/key too_long'],
  ],
])('refuses %s', ([, auth, errors]) => {
  expect(authErrors(withAuth(auth))).toEqual(errors)
})

test('no error quotes a value', () => {
  const secret = 'do-not-quote\n'
  const inputs = [
    { basic: { user: `${secret}:`, password: secret } },
    { bearer: secret },
    { oauth2: { tokenUrl: secret, clientId: secret, clientSecret: secret, scope: secret } },
    { clientCertificate: { certificate: `-----BEGIN ${secret}`, key: `-----BEGIN ${secret}` } },
  ]
  for (const input of inputs) {
    const parsed = parseWebhooksSettings(withAuth(input))
    expect(parsed).toHaveProperty('errors')
    expect(JSON.stringify(parsed)).not.toContain('do-not-quote')
  }
})

test('a static Authorization header conflicts with `auth`, except with a client certificate', () => {
  const more = { headers: { authorization: 'Basic x' } }
  for (const auth of [{ basic }, { bearer: 'x' }, { oauth2 }])
    expect(authErrors(withAuth(auth, more))).toEqual([' exclusive'])
  expect(authErrors(withAuth({ clientCertificate }, more))).toEqual([])
})

test('a client certificate requires https', () => {
  const http = { url: 'http://a.example/' }
  expect(authErrors(withAuth({ clientCertificate }, http))).toEqual([
    '/clientCertificate https_required',
  ])
})

test('a chain, an expired certificate and a self-signed one are accepted', () => {
  const chain = { certificate: clients[0].cert + good.cert, key: clients[0].key }
  for (const { cert, key } of [expired, selfSigned])
    expect(authErrors(withAuth({ clientCertificate: { certificate: cert, key } }))).toEqual([])
  expect(authErrors(withAuth({ clientCertificate: chain }))).toEqual([])
})
