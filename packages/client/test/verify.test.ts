import { type RequestHeaders, verifySignature } from '@hookline/client/verify'
import { standardSignature, xSignature } from '@hookline/protocol/signature'
import fc from 'fast-check'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { describe, expect, test, vi } from 'vitest'

/** Examples that `VerifySignature` in clients/go is tested with as well. */
const EXAMPLES = JSON.parse(
  readFileSync(new URL('../../../clients/go/testdata/signatures.json', import.meta.url), 'utf8'),
) as {
  readonly reason: string
  readonly body: string
  readonly headers: Record<string, string>
  readonly keys: string[]
  readonly now: number
  readonly valid: boolean
}[]

const SECRET = 'a shared secret – 完'
const BODY = '{"version":1,"event":"完了 😀"}'
const nowMs = Date.UTC(2026, 10, 21)
const now = nowMs / 1000

function standard(body = BODY, secret = SECRET, at = now): Record<string, string> {
  return {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(at),
    'webhook-signature': standardSignature(secret, 'msg_1', at, body),
  }
}

const simple = (body = BODY, secret = SECRET) => ({ 'x-signature': xSignature(secret, body) })
const verify = (body: string | Uint8Array, headers: RequestHeaders, secret = SECRET) =>
  verifySignature(body, headers, secret, { nowMs })

describe('verifySignature', () => {
  test('accepts either scheme, a string or bytes as the body, and Headers or a Node object', async () => {
    for (const headers of [standard(), simple(), { ...standard(), ...simple() }]) {
      const upper = Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]),
      )
      expect(await verify(BODY, headers)).toBe(true)
      expect(await verify(BODY, upper)).toBe(true)
      expect(await verify(Buffer.from(BODY), headers)).toBe(true)
      expect(await verifySignature(BODY, new Headers(headers), SECRET, { nowMs })).toBe(true)
    }
  })

  test('agrees with the example of the Standard Webhooks specification', async () => {
    const headers = {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    }
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
    const at = { nowMs: 1614265330_000 }
    expect(await verifySignature('{"test": 2432232314}', headers, secret, at)).toBe(true)
  })

  test.each(EXAMPLES)('agrees with the Go client on $reason', async (example) => {
    const { body, headers, keys, now: at, valid } = example
    expect(await verifySignature(body, headers, keys, { nowMs: at * 1000 })).toBe(valid)
  })

  test('cannot verify X-Signature with a public key', async () => {
    const key = EXAMPLES.find(({ keys }) => keys[0]!.startsWith('whpk_'))!.keys[0]!
    expect(await verify(BODY, simple(BODY, key), key)).toBe(false)
  })

  test('refuses a changed body, the wrong secret and a missing signature', async () => {
    for (const headers of [standard(), simple()]) {
      expect(await verify(`${BODY} `, headers)).toBe(false)
      expect(await verify(BODY, headers, 'another')).toBe(false)
    }
    expect(await verify(BODY, {})).toBe(false)
  })

  test('refuses a timestamp over 5 minutes in the past or future, or over toleranceMs', async () => {
    const ages = [-301, -300, 300, 301]
    const verdicts = ages.map((age) => verify(BODY, standard(BODY, SECRET, now + age)))
    expect(await Promise.all(verdicts)).toEqual([false, true, true, false])
    const old = standard(BODY, SECRET, now - 3600)
    expect(await verifySignature(BODY, old, SECRET, { nowMs, toleranceMs: 3_600_000 })).toBe(true)
    expect(await verifySignature(BODY, old, SECRET, { nowMs, toleranceMs: 1_000 })).toBe(false)
  })

  test('accepts if one of several signatures, or one of several secrets, is valid', async () => {
    const old = standard(BODY, 'old')['webhook-signature']
    const both = {
      ...standard(),
      'webhook-signature': `v1a,x ${old} ${standard()['webhook-signature']}`,
    }
    expect(await verify(BODY, both)).toBe(true)
    expect(await verifySignature(BODY, simple(), ['old', SECRET])).toBe(true)
    expect(await verifySignature(BODY, standard(), ['old', SECRET], { nowMs })).toBe(true)
    expect(await verifySignature(BODY, simple(), ['old', 'older'])).toBe(false)
  })

  test('does not fall back to X-Signature if webhook-signature is invalid', async () => {
    expect(await verify(BODY, { ...simple(), ...standard(BODY, 'wrong') })).toBe(false)
  })

  test('with requireStandard, accepts only webhook-signature', async () => {
    const options = { nowMs, requireStandard: true }
    expect(await verifySignature(BODY, simple(), SECRET, options)).toBe(false)
    expect(await verifySignature(BODY, standard(), SECRET, options)).toBe(true)
  })

  test('returns false for any invalid headers and never throws', async () => {
    const names = ['x-signature', 'webhook-id', 'webhook-timestamp', 'webhook-signature']
    const value = fc.oneof(
      fc.string(),
      fc.constantFrom('v1,', 'v1,%%', String(now), '00'.repeat(20)),
    )
    const record = fc.record(Object.fromEntries(names.map((name) => [name, value])), {
      requiredKeys: [],
    })
    await fc.assert(
      fc.asyncProperty(record, async (headers) => {
        expect(await verify(BODY, headers)).toBe(false)
      }),
    )
    const twice = { 'x-signature': [simple()['x-signature'], simple()['x-signature']] }
    expect(await verifySignature(BODY, twice, SECRET)).toBe(false)
  })

  test('throws for a parsed body, for no secret, and for a malformed secret or public key', async () => {
    await expect(verifySignature({} as never, simple(), SECRET)).rejects.toThrow(TypeError)
    await expect(verify(BODY, simple(), '')).rejects.toThrow('empty')
    await expect(verifySignature(BODY, simple(), [])).rejects.toThrow('empty')
    await expect(verify(BODY, standard(), 'whsec_%')).rejects.toThrow('base64')
    for (const key of [
      ' whpk_YQ==',
      '"whpk_YQ=="',
      '‘(whpk_YQ==',
      '\ufeffwhpk_YQ==',
      'WHPK_YQ==',
      'whsk_YQ==',
    ])
      await expect(verify(BODY, standard(), key)).rejects.toThrow('must begin with whpk_')
    for (const key of ['whpk_%', 'whpk_YQ=='])
      await expect(verify(BODY, standard(), key)).rejects.toThrow('32 bytes')
  })

  test('throws with an explanation if WebCrypto is missing, as on a page without https', async () => {
    vi.stubGlobal('crypto', { getRandomValues: () => {} })
    const verified = verify(BODY, simple())
    vi.unstubAllGlobals()
    await expect(verified).rejects.toThrow('requires Web Crypto')
  })

  test('works in a receiver on node:http as documented', async () => {
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const isOurs = await verifySignature(Buffer.concat(chunks), request.headers, SECRET)
      response.writeHead(isOurs ? 200 : 401).end()
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const post = async (headers: IncomingHttpHeaders) =>
      (await fetch(url, { method: 'POST', headers: headers as Record<string, string>, body: BODY }))
        .status
    expect(await post(standard(BODY, SECRET, Math.floor(Date.now() / 1000)))).toBe(200)
    expect(await post(standard(BODY, SECRET, 1))).toBe(401)
    server.close()
    server.closeAllConnections()
  })
})
