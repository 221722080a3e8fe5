import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { standardSignature, xSignature } from '../../src/signatures/signature.ts'

describe('X-Signature', () => {
  test('is lower-case hex HMAC-SHA1, as in test case 2 of RFC 2202', () => {
    expect(xSignature('Jefe', 'what do ya want for nothing?')).toBe(
      'effcdf6ae5eb2fa2d27416d5f184df9c259a7c79',
    )
  })

  test('can be verified as documented: parse, stringify, digest', () => {
    const body = '{"version":1,"event":"Bestellung – 完了 😀"}'
    const verified = createHmac('sha1', 'käse')
      .update(JSON.stringify(JSON.parse(body)))
      .digest('hex')
    expect(xSignature('käse', body)).toBe(verified)
  })
})

describe('webhook-signature', () => {
  test('equals the example of the Standard Webhooks specification', () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
    const body = '{"test": 2432232314}'
    expect(standardSignature(secret, 'msg_p5jXN8AQM9LWM0D4loKWxJek', 1614265330, body)).toBe(
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    )
  })

  test('uses a secret without whsec_ as UTF-8', () => {
    const key = createHmac('sha256', 'plain secret').update('msg_1.1.{}').digest('base64')
    expect(standardSignature('plain secret', 'msg_1', 1, '{}')).toBe(`v1,${key}`)
  })
})
