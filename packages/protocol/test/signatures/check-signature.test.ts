import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { ed25519Signature, newPrivateKey, publicKeyOf } from '../../src/signatures/ed25519.ts'
import { standardSignature } from '../../src/signatures/signature.ts'
import { checkSignature } from '../../src/signatures/check-signature.ts'

const NOW = Date.parse('2026-11-21T09:30:00.000Z')
const SECRET = 'the shared secret'
const BODY = '{"version":1,"type":"track"}'

function xSignature(body = BODY): string {
  return createHmac('sha1', SECRET).update(body).digest('hex')
}

function standard(timestamp = NOW / 1000): Record<string, string> {
  const signed = createHmac('sha256', SECRET).update(`msg_1.${timestamp}.${BODY}`).digest('base64')
  return {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,b3RoZXI= v1,${signed}`,
  }
}

function check(headers: Record<string, string>, body = BODY) {
  return checkSignature({ headers, body }, SECRET, NOW)
}

describe("the receiver's signature check", () => {
  it('verifies v1a signatures with a public key, which cannot verify X-Signature', () => {
    const key = { privateKey: newPrivateKey() }
    const publicKey = publicKeyOf(key.privateKey)
    const at = NOW / 1000
    const signed = (timestamp: number) => ({
      ...standard(timestamp),
      'webhook-signature': `v1,b3RoZXI= ${ed25519Signature(key, 'msg_1', timestamp, Buffer.from(BODY))}`,
    })
    const verdicts = (headers: Record<string, string>, body = BODY) =>
      Object.values(checkSignature({ headers, body }, publicKey, NOW))
    expect(verdicts(signed(at))).toEqual(['valid', 'missing', 'valid'])
    expect(verdicts({ ...signed(at), 'x-signature': 'ff' })).toEqual([
      'valid',
      'unchecked',
      'valid',
    ])
    expect(verdicts(signed(at - 301))).toEqual(['invalid', 'missing', 'stale'])
    expect(verdicts(signed(at), '{}')).toEqual(['invalid', 'missing', 'invalid'])
    expect(verdicts(standard())).toEqual(['invalid', 'missing', 'invalid'])
    expect(verdicts({ 'x-signature': xSignature() })).toEqual(['missing', 'unchecked', 'missing'])
  })

  it('never uses a public or private key as a secret, even with spaces or quotes, or in upper case', () => {
    const privateKey = newPrivateKey()
    const publicKey = publicKeyOf(privateKey)
    for (const key of [
      publicKey,
      ` ${publicKey}`,
      `"${publicKey}"`,
      `\ufeff${publicKey}`,
      publicKey.toUpperCase(),
      privateKey,
    ]) {
      const headers = {
        ...standard(),
        'webhook-signature': standardSignature(key, 'msg_1', NOW / 1000, BODY),
        'x-signature': createHmac('sha1', key).update(BODY).digest('hex'),
      }
      expect(checkSignature({ headers, body: BODY }, key, NOW)).toEqual({
        verdict: 'invalid',
        xSignature: 'unchecked',
        webhookSignature: 'invalid',
      })
    }
  })

  it('returns valid if both signatures are correct; one correct signature in the list is enough', () => {
    expect(check({ 'x-signature': xSignature(), ...standard() })).toEqual({
      verdict: 'valid',
      xSignature: 'valid',
      webhookSignature: 'valid',
    })
  })

  it('accepts X-Signature alone, computed over the parsed and serialised body', () => {
    const spaced = '{ "version": 1, "type": "track" }'
    expect(check({ 'x-signature': xSignature() }, spaced)).toMatchObject({ verdict: 'valid' })
  })

  it('returns invalid if the body was changed or one signature is incorrect', () => {
    const headers = { 'x-signature': xSignature(), ...standard() }
    expect(check(headers, '{"version":1,"type":"page"}')).toEqual({
      verdict: 'invalid',
      xSignature: 'invalid',
      webhookSignature: 'invalid',
    })
    const short = { ...headers, 'x-signature': xSignature().slice(1) }
    expect(check(short)).toMatchObject({ verdict: 'invalid', webhookSignature: 'valid' })
  })

  it('returns invalid if the timestamp is more than five minutes from now', () => {
    const at = (seconds: number) => check({ 'x-signature': xSignature(), ...standard(seconds) })
    expect(at(NOW / 1000 - 300)).toMatchObject({ verdict: 'valid' })
    expect(at(NOW / 1000 - 301)).toMatchObject({ verdict: 'invalid', webhookSignature: 'stale' })
    expect(at(NOW / 1000 + 301)).toMatchObject({ verdict: 'invalid', webhookSignature: 'stale' })
  })

  it('returns missing if the receiver has a secret and the request is not signed', () => {
    expect(check({})).toMatchObject({ verdict: 'missing', webhookSignature: 'missing' })
  })

  it('distinguishes signed from unsigned requests even if it has no secret or public key', () => {
    const without = (headers: Record<string, string>) =>
      checkSignature({ headers, body: BODY }, undefined, NOW).verdict
    expect(without({ 'x-signature': 'any' })).toBe('unchecked')
    expect(without({ 'webhook-signature': 'v1a,any' })).toBe('unchecked')
    expect(without({})).toBe('unsigned')
  })

  it('uses the raw body if it is not JSON', () => {
    expect(check({ 'x-signature': xSignature('<html>') }, '<html>').xSignature).toBe('valid')
  })
})
