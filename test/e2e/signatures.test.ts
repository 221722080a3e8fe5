import { verifySignature } from '@hookline/client/verify'
import { createPublicKey, type JsonWebKey, verify } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { expect, it } from 'vitest'
import { openReceiver, type ReceivedRequest } from '@hookline/testing/receiver/receiver'
import { startService } from '@hookline/testing/service/running-service'

const secret = (byte: number) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`
const [SHARED, OWN, NEXT] = [secret(1), secret(2), secret(3)]

type PublicKey = JsonWebKey & {
  whpk: string
  kid: string
  signsFrom: string | null
  signsUntil: string | null
}
interface Shown {
  readonly settings: { readonly signingKeys: { readonly publicKey: string }[] }
}

/** Whether the reference library of Standard Webhooks accepts the request. */
function isAccepted({ headers, body }: ReceivedRequest, key: string): boolean {
  try {
    new Webhook(key).verify(body, headers as Record<string, string>)
    return true
  } catch {
    return false
  }
}

/** Whether one of the v1a signatures is of this key, checked without code of the product. */
function isSignedWith({ headers, body }: ReceivedRequest, key: PublicKey): boolean {
  const content = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body.toString()}`
  const publicKey = createPublicKey({ key, format: 'jwk' })
  return String(headers['webhook-signature'])
    .split(' ')
    .filter((each) => each.startsWith('v1a,'))
    .some((each) =>
      verify(null, Buffer.from(content), publicKey, Buffer.from(each.slice(4), 'base64')),
    )
}

const versions = ({ headers }: ReceivedRequest): string[] =>
  String(headers['webhook-signature'])
    .split(' ')
    .map((each) => each.split(',')[0]!)

it('a destination signs with the secret of each webhook, and rotates it with an overlap', async () => {
  await using receiver = await openReceiver()
  await using service = await startService()
  const [a, b] = [`${receiver.url}/a`, `${receiver.url}/b`]
  const webhooks = [{ url: a, secret: OWN }, { url: b }]
  const id = await service.createDestination({ webhooks, policy: 'each', secret: SHARED })
  const send = async (messageId: string) => {
    await service.track(messageId)
    await service.endOf(messageId)
    const requests = receiver.requests.splice(0).toSorted((x, y) => (x.path < y.path ? -1 : 1))
    expect(requests.map(({ path }) => path)).toEqual(['/hook/a', '/hook/b'])
    return requests.map((each) => [SHARED, OWN, NEXT].map((key) => isAccepted(each, key)))
  }
  const rotate = (body: object) =>
    service.api.call('POST', `destinations/${id}/rotate-secret`, body)
  const [shared, own] = [
    [true, false, false],
    [false, true, false],
  ]
  expect(await send('m1')).toEqual([own, shared])
  await rotate({ url: a, secret: NEXT })
  expect(await send('m2')).toEqual([[false, true, true], shared])
  // The first webhook secret replaces the shared one, which other webhooks keep.
  await rotate({ url: b, secret: OWN })
  expect(await send('m3')).toEqual([
    [false, true, true],
    [true, true, false],
  ])
  await rotate({ secret: NEXT, overlapHours: 0 })
  await rotate({ url: a, secret: OWN, overlapHours: 0, force: true })
  await service.restart()
  expect(await send('m4')).toEqual([own, [true, true, false]])
})

it('a destination signs with Ed25519 instead of the secret, or in addition to it', async () => {
  await using receiver = await openReceiver()
  await using service = await startService()
  const id = await service.createDestination({ urls: [receiver.url], secret: SHARED })
  const change = (settings: object) =>
    service.api.call<Shown>('PATCH', `destinations/${id}`, { settings })
  const send = async (messageId: string): Promise<ReceivedRequest> => {
    await service.track(messageId)
    await service.endOf(messageId)
    return receiver.requests.at(-1)!
  }
  expect(versions(await send('m1'))).toEqual(['v1'])
  const { publicKey } = (await change({ signature: 'both' })).settings.signingKeys[0]!
  const both = await send('m2')
  expect(versions(both)).toEqual(['v1', 'v1a'])
  expect(isAccepted(both, SHARED)).toBe(true)
  for (const key of [SHARED, publicKey])
    expect(await verifySignature(both.body, both.headers, key)).toBe(true)
  expect(both.headers).toHaveProperty('x-signature')
  await change({ signature: 'ed25519' })
  const asymmetric = await send('m3')
  expect(versions(asymmetric)).toEqual(['v1a'])
  expect(asymmetric.headers).not.toHaveProperty('x-signature')
  expect(await verifySignature(asymmetric.body, asymmetric.headers, publicKey)).toBe(true)
  expect(await verifySignature(asymmetric.body, asymmetric.headers, SHARED)).toBe(false)
  await change({ signature: 'secret' })
  expect(versions(await send('m4'))).toEqual(['v1'])
})

it('a rotation announces the new public key, then signs with both keys, then only with the new one', async () => {
  await using receiver = await openReceiver()
  await using service = await startService()
  const id = await service.createDestination({ urls: [receiver.url] })
  await service.api.call('PATCH', `destinations/${id}`, { settings: { signature: 'ed25519' } })
  const published = async (): Promise<PublicKey[]> => {
    const response = await fetch(`${service.url}/.well-known/hookline/keys/${id}`)
    return ((await response.json()) as { keys: PublicKey[] }).keys
  }
  const rotate = (body: object) =>
    service.api.call('POST', `destinations/${id}/rotate-signing-key`, body)
  const send = async (messageId: string, keys: readonly PublicKey[]): Promise<boolean[]> => {
    await service.track(messageId)
    await service.endOf(messageId)
    return keys.map((key) => isSignedWith(receiver.requests.at(-1)!, key))
  }
  const first = await published()
  expect(first).toMatchObject([
    { kty: 'OKP', crv: 'Ed25519', use: 'sig', alg: 'EdDSA', signsFrom: null, signsUntil: null },
  ])
  expect(first[0]!.whpk).toBe(`whpk_${Buffer.from(first[0]!.x!, 'base64url').toString('base64')}`)
  expect(await send('m1', first)).toEqual([true])

  await rotate({})
  const announced = await published()
  expect(announced.map(({ kid }) => kid)).toEqual([first[0]!.kid, expect.any(String)])
  const day = 24 * 60 * 60 * 1000
  expect((Date.parse(announced[1]!.signsFrom!) - Date.now()) / day).toBeCloseTo(1, 2)
  expect((Date.parse(announced[0]!.signsUntil!) - Date.now()) / day).toBeCloseTo(2, 2)
  expect(await send('m2', announced)).toEqual([true, false])

  // A forced rotation replaces the next key, and signs with the new one immediately.
  await rotate({ leadHours: 0, force: true })
  const overlapping = await published()
  expect(overlapping[1]!.kid).not.toBe(announced[1]!.kid)
  await service.restart()
  expect(await send('m3', overlapping)).toEqual([true, true])
  expect(versions(receiver.requests.at(-1)!)).toEqual(['v1a', 'v1a'])

  await rotate({ leadHours: 0, overlapHours: 0, force: true })
  const last = await published()
  expect(last).toHaveLength(1)
  expect(await send('m4', [...overlapping, ...last])).toEqual([false, false, true])
})

it('anyone can read and cache public keys, and nothing is revealed about other destinations', async () => {
  await using service = await startService()
  const id = await service.createDestination({ urls: ['https://a.example/'], enabled: false })
  const get = (of: string, method = 'GET') =>
    fetch(`${service.url}/.well-known/hookline/keys/${of}`, { method })
  // A destination without keys looks like one that does not exist.
  const answers = await Promise.all([
    get(id),
    get('dst_01m81grcbgedzt0s6b232e4pp8'),
    get('__proto__'),
  ])
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404]))
  expect(new Set(await Promise.all(answers.map((each) => each.text()))).size).toBe(1)
  await service.api.call('PATCH', `destinations/${id}`, { settings: { signature: 'both' } })
  const found = await get(id)
  expect(found.headers.get('content-type')).toBe('application/jwk-set+json')
  expect(found.headers.get('cache-control')).toBe('public, max-age=3600')
  expect(found.headers.get('access-control-allow-origin')).toBe('*')
  expect((await get(id, 'HEAD')).status).toBe(200)
  expect((await get(id, 'POST')).status).toBeOneOf([404, 405])
  await service.api.call('DELETE', `destinations/${id}`)
  expect((await get(id)).status).toBe(404)
})

it('an export with secrets contains the webhook secrets and key pairs, and importing an export without secrets keeps the stored ones', async () => {
  await using service = await startService()
  const webhooks = [{ url: 'https://a.example/', secret: OWN }]
  const id = await service.createDestination({ webhooks, enabled: false })
  const change = { settings: { signature: 'both' } }
  const shown = await service.api.call<Shown>('PATCH', `destinations/${id}`, change)
  const exported = await service.api.call<object>('GET', 'export?withSecrets=true')
  await using other = await startService()
  await other.api.call('PUT', 'import', exported)
  const imported = await other.api.call<Shown>('GET', `destinations/${id}`)
  expect(imported.settings).toEqual(shown.settings)
  const hidden = await service.api.call<object>('GET', 'export')
  expect(JSON.stringify(hidden)).not.toMatch(/whsk_|whsec_/)
  expect(await other.api.call('PUT', 'import?dryRun=true', hidden)).toMatchObject({
    changed: [],
    created: [],
  })
})
