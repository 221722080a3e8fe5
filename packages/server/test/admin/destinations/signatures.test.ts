import { newPrivateKey, publicKeyOf } from '@hookline/protocol/ed25519'
import { expect, test, vi } from 'vitest'
import type { AdminDeps } from '../../../src/admin/routes.ts'
import {
  exportWebhooksSettings,
  presentWebhooksSettings,
} from '../../../src/admin/destinations/settings.ts'
import { errorsOf, settingsOf } from './parsed-settings.ts'
import { AdminServer } from '../admin-server.ts'
import { errorsIn, type ProblemDocument } from '../problem-document.ts'
import type { WebhooksSettings } from '@hookline/protocol'

const [LATER, LATEST] = ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z']
const [A, B] = ['https://a.example/', 'https://b.example/']
const LONG = 'a secret of at least 24 bytes'
const BASE64_SECRET = `whsec_${Buffer.alloc(24).toString('base64')}`
const own = (secret: unknown, url = A) => ({ webhooks: [{ url, secret }, { url: B }] })

const stored: WebhooksSettings = {
  sharedSecret: 'the shared secret',
  webhooks: [
    { url: A, headers: {}, secret: LONG, previousSecret: { secret: 'before', until: 9 } },
    { url: B, headers: {} },
  ],
  successPolicy: 'any',
}

test('a webhook secret is shown like the shared one', () => {
  expect(settingsOf(own(LONG)).webhooks[0]).toEqual({ url: A, headers: {}, secret: LONG })
  expect(presentWebhooksSettings(stored).webhooks).toEqual([
    {
      url: A,
      headers: {},
      secret: { set: true, last4: 'ytes', previousUntil: '1970-01-01T00:00:00.009Z' },
      paused: null,
    },
    { url: B, headers: {}, paused: null },
  ])
})

test('a hidden secret of a webhook keeps the stored one and its overlap, for the same URL only', () => {
  expect(settingsOf(own({ set: true }), stored).webhooks).toEqual(stored.webhooks)
  expect(settingsOf(own('another'), stored).webhooks[0]).toEqual({
    url: A,
    headers: {},
    secret: 'another',
  })
  for (const absent of [undefined, null, { set: false }])
    expect(settingsOf(own(absent), stored).webhooks[0]).toEqual({ url: A, headers: {} })
  const elsewhere = own({ set: true }, 'https://evil.example/')
  expect(errorsOf(elsewhere, stored)).toEqual(['/webhooks/0/secret hidden_value_unknown'])
})

test.each([
  ['', 'empty'],
  [7, 'invalid_type'],
  ['x'.repeat(1025), 'too_long'],
  ['whsec_%', 'not_base64'],
  [` ${BASE64_SECRET}`, 'invalid_prefix'],
  [`\uFEFF${BASE64_SECRET}`, 'invalid_prefix'],
  [`"${BASE64_SECRET}"`, 'invalid_prefix'],
  [BASE64_SECRET.replace('whsec', 'WHSEC'), 'invalid_prefix'],
  [publicKeyOf(newPrivateKey()), 'not_a_secret'],
  [` "${publicKeyOf(newPrivateKey())}"`, 'not_a_secret'],
  [publicKeyOf(newPrivateKey()).toUpperCase(), 'not_a_secret'],
  [newPrivateKey(), 'not_a_secret'],
])('the secret %j of a webhook is refused', (secret, code) => {
  expect(errorsOf(own(secret))).toEqual([`/webhooks/0/secret ${code}`])
  expect(errorsOf({ webhookUrl: A, sharedSecret: secret })).toEqual([`/sharedSecret ${code}`])
})

test('the first key pair is generated with the signature, and kept from then on', () => {
  const { signature, signingKeys } = settingsOf({ webhookUrl: A, signature: 'ed25519' })
  expect(signature).toBe('ed25519')
  expect(signingKeys).toEqual([{ privateKey: expect.stringMatching(/^whsk_[\w+/]{86}==$/) }])
  const before = { ...stored, signature, signingKeys } as WebhooksSettings
  const off = settingsOf({ signature: 'secret' }, before)
  expect([off.signature, off.signingKeys]).toEqual([undefined, signingKeys])
  expect(settingsOf({ signature: 'both' }, off).signingKeys).toEqual(signingKeys)
})

test('key pairs are exported only with secrets, and kept if sent back as shown', () => {
  const keys = [
    { privateKey: newPrivateKey(), until: 8 },
    { privateKey: newPrivateKey(), from: 4 },
  ]
  const settings: WebhooksSettings = { ...stored, signature: 'both', signingKeys: keys }
  for (const shown of [
    presentWebhooksSettings(settings),
    exportWebhooksSettings(settings, false),
  ]) {
    expect(JSON.stringify(shown)).not.toContain('whsk_')
    expect(JSON.stringify(shown)).not.toContain(LONG)
    expect(settingsOf(shown, settings)).toEqual(settings)
  }
  const { webhooks, ...whole } = settings
  const exported = settingsOf(exportWebhooksSettings(settings, true))
  const withoutOverlap = webhooks.map(({ previousSecret: _, ...webhook }) => webhook)
  expect(exported).toEqual({ ...whole, webhooks: withoutOverlap })
})

const privateKey = newPrivateKey()
const mixed = `whsk_${Buffer.concat([
  Buffer.from(privateKey.slice(5), 'base64').subarray(0, 32),
  Buffer.alloc(32, 1),
]).toString('base64')}`

test.each([
  ['hidden keys, if none are stored', { set: true }, '/signingKeys hidden_value_unknown'],
  ['an object', {}, '/signingKeys invalid_type'],
  ['no keys', [], '/signingKeys invalid_type'],
  ['a key that stops', [{ privateKey, signsUntil: LATER }], '/signingKeys invalid_key_times'],
  [
    'a first key that never stops',
    [{ privateKey }, { privateKey: newPrivateKey(), signsFrom: LATER }],
    '/signingKeys invalid_key_times',
  ],
  ['the same key twice', [{ privateKey }, { privateKey }], '/signingKeys invalid_key'],
  [
    'a time without a key',
    [
      { privateKey, signsUntil: LATER },
      { privateKey: newPrivateKey(), signsFrom: LATEST },
    ],
    '/signingKeys invalid_key_times',
  ],
  ['more than two keys', Array(3).fill({ privateKey }), '/signingKeys invalid_type'],
  ['a key that is a string', [privateKey], '/signingKeys/0 invalid_type'],
  ['a shortened key', [{ privateKey: 'whsk_YQ==' }], '/signingKeys/0/privateKey invalid_key'],
  ['halves of two keys', [{ privateKey: mixed }], '/signingKeys/0/privateKey invalid_key'],
  [
    'an invalid time',
    [{ privateKey, signsFrom: 'soon' }],
    '/signingKeys/0/signsFrom invalid_format',
  ],
  ['a number as a time', [{ privateKey, signsFrom: 7 }], '/signingKeys/0/signsFrom invalid_type'],
  ['another field', [{ privateKey, x: 1 }], '/signingKeys/0/x unknown_field'],
])('signingKeys is refused: %s', (_name, signingKeys, fieldError) => {
  expect(errorsOf({ webhookUrl: A, signature: 'both', signingKeys })).toEqual([fieldError])
})

test('signing keys are refused if none of them signs now, even in an import', async () => {
  const { server, id } = await withDestination({ webhookUrl: A })
  await using _ = server
  const signsFrom = '2099-01-01T00:00:00.000Z'
  const change = { signature: 'ed25519', signingKeys: [{ privateKey, signsFrom }] }
  const body = { settings: change }
  const refused = await server.call<ProblemDocument>('PATCH', `/destinations/${id}`, { body })
  expect([refused.status, errorsIn(refused.body)]).toEqual([
    422,
    ['/settings/signingKeys/0/signsFrom invalid_key_times'],
  ])
  const document = await server.must<{ destinations: [{ settings: object }] }>('GET', '/export')
  Object.assign(document.destinations[0].settings, change)
  const imported = await server.call<ProblemDocument>('PUT', '/import', { body: document })
  expect(errorsIn(imported.body)).toEqual([
    '/destinations/0/settings/signingKeys/0/signsFrom invalid_key_times',
  ])
})

test('an unknown kind of signature is refused', () => {
  expect(errorsOf({ webhookUrl: A, signature: 'rsa' })).toEqual(['/signature not_allowed'])
})

async function withDestination(settings: object, overrides: Partial<AdminDeps> = {}) {
  const server = await AdminServer.open(overrides)
  const { id: sourceId } = await server.must<{ id: string }>('POST', '/sources', {
    body: { name: 'web' },
  })
  const body = { sourceId, type: 'Webhooks', settings }
  const created = await server.must<{ id: string; warnings?: { pointer: string; code: string }[] }>(
    'POST',
    '/destinations',
    { body },
  )
  return { server, ...created }
}

test('a secret shorter than 24 bytes triggers a warning; after whsec_, its decoded bytes count', async () => {
  const short = `whsec_${Buffer.alloc(23).toString('base64')}`
  const enough = `whsec_${Buffer.alloc(24).toString('base64')}`
  const settings = { ...own(short), sharedSecret: enough }
  const { server, id, warnings } = await withDestination(settings)
  await using _ = server
  const warning = { pointer: '/settings/webhooks/0/secret', code: 'short_secret' }
  expect(warnings).toMatchObject([warning])
  const path = `/destinations/${id}`
  expect(await server.must('GET', path)).toMatchObject({ warnings: [warning] })
  const rotation = { body: { secret: 'x'.repeat(23) } }
  expect(await server.must('POST', `${path}/rotate-secret`, rotation)).toMatchObject({
    warnings: [{ pointer: '/settings/sharedSecret' }, warning],
  })
  const single = { body: { settings: { sharedSecret: 'x' } } }
  expect(await server.must('PATCH', path, single)).toMatchObject({
    warnings: [{ message: 'The secret has only 1 byte, so it may be guessed.' }, warning],
  })
  const change = { body: { settings: { signature: 'ed25519' } } }
  expect(await server.must('PATCH', path, change)).not.toHaveProperty('warnings')
})

test('the secret of a webhook with templates can be rotated', async () => {
  const url = 'https://a.example/users/{{userId}}'
  const { server, id } = await withDestination({ webhooks: [{ url, secret: LONG }] })
  await using _ = server
  const rotation = { body: { secret: `${LONG} 2`, url } }
  expect(await server.must('POST', `/destinations/${id}/rotate-secret`, rotation)).toMatchObject({
    settings: { webhooks: [{ url, secret: { previousUntil: expect.any(String) } }] },
  })
})

test.each([{}, { 'if-match': '"1"' }])(
  'of two simultaneous rotations to the same secret, the second keeps the overlap of the first, with %j',
  async (headers) => {
    const { server, id } = await withDestination({ webhookUrl: A, sharedSecret: LONG })
    await using _ = server
    const rotation = { body: { secret: `${LONG} 2` }, headers }
    const rotate = () => server.call('POST', `/destinations/${id}/rotate-secret`, rotation)
    const [first, second] = await Promise.all([rotate(), rotate()])
    expect([first.status, second.status]).toEqual([200, 200])
    expect(second.body).toEqual(first.body)
    const { settings, version } = server.backend.catalog.current.destinations.get(id)!
    expect([version, settings.previousSecret?.secret]).toEqual([2, LONG])
  },
)

test('a rotation looks up no names', async () => {
  const lookup = vi.fn<(host: string) => Promise<undefined>>(async () => undefined)
  const { server, id } = await withDestination(own(LONG), { hostProblem: lookup })
  await using _ = server
  lookup.mockClear()
  await server.must('POST', `/destinations/${id}/rotate-secret`, { body: { secret: LONG } })
  expect(lookup).not.toHaveBeenCalled()
})

test('kept key pairs are rotated even while only the secrets sign', async () => {
  const { server, id } = await withDestination({ webhookUrl: A, signature: 'ed25519' })
  await using _ = server
  const path = `/destinations/${id}`
  await server.must('PATCH', path, { body: { settings: { signature: 'secret' } } })
  const rotated = await server.must('POST', `${path}/rotate-signing-key`, { body: {} })
  expect(rotated).toMatchObject({ settings: { signature: 'secret', signingKeys: [{}, {}] } })
})

test.each([
  ['rotate-signing-key', () => ({})],
  ['rotate-signing-key', () => ({ leadHours: 0 })],
  ['rotate-signing-key', () => ({ overlapHours: 0 })],
  ['rotate-secret', (number: number) => ({ secret: `${LONG} ${number}` })],
  ['rotate-secret', (number: number) => ({ secret: `${LONG} ${number}`, url: A })],
])('%s is refused until the last rotation ends, unless it is forced: %s', async (action, body) => {
  const settings = { webhookUrl: A, sharedSecret: LONG, signature: 'both' }
  const { server, id } = await withDestination(settings)
  await using _ = server
  const rotate = (request: object) =>
    server.call<ProblemDocument>('POST', `/destinations/${id}/${action}`, { body: request })
  const endOf = ({ text }: { text: string }) =>
    /"(?:previousUntil|signsUntil)":"([^"]+)"/.exec(text)![1]!
  const first = await rotate(body(1))
  const refused = await rotate(body(2))
  expect([refused.status, refused.body.code]).toEqual([409, 'rotation_in_progress'])
  expect(refused.body.detail).toContain(`ends at ${endOf(first)}.`)
  expect(await server.must('GET', `/destinations/${id}`)).toMatchObject(JSON.parse(first.text))
  const forced = await rotate({ ...body(2), force: true })
  expect([forced.status, (await rotate(body(3))).status]).toEqual([200, 409])
  server.clock.advance(Date.parse(endOf(forced)) - server.clock.wall())
  expect((await rotate(body(3))).status).toBe(200)
})

test('the first webhook secret is refused until a rotation of the shared one ends', async () => {
  const { server, id } = await withDestination({ webhookUrl: A, sharedSecret: LONG })
  await using _ = server
  const path = `/destinations/${id}/rotate-secret`
  await server.must('POST', path, { body: { secret: `${LONG} 2` } })
  const refused = await server.call('POST', path, { body: { secret: `${LONG} 3`, url: A } })
  expect(refused.status).toBe(409)
})

test('rotation needs a webhook of the destination, and a key pair', async () => {
  const { server, id } = await withDestination(own(LONG))
  await using _ = server
  const path = `/destinations/${id}`
  const unknown = { body: { secret: LONG, url: 'https://c.example/' } }
  const response = await server.call<ProblemDocument>('POST', `${path}/rotate-secret`, unknown)
  expect([response.status, response.body.errors[0]?.code]).toEqual([422, 'unknown_webhook'])
  const rotation = await server.call<ProblemDocument>('POST', `${path}/rotate-signing-key`, {
    body: {},
  })
  expect([rotation.status, rotation.body.code]).toEqual([409, 'invalid_state'])
  for (const hours of [-1, 169, 1.5]) {
    const body = { leadHours: hours }
    const { status } = await server.call('POST', `${path}/rotate-signing-key`, { body })
    expect(status).toBe(422)
  }
})
