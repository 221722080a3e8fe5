import fc from 'fast-check'
import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { hmac } from '../../src/signatures/hmac.ts'

const algorithm = fc.constantFrom('sha1', 'sha256')
const encoding = fc.constantFrom('hex', 'base64')
const text = fc.string({ unit: 'binary', maxLength: 300 })
// Shorter and longer than a block of 64 bytes, because keys longer than a block are hashed first.
const key = fc.uint8Array({ maxLength: 200 })

test('hmac returns the same digest as Node for any key, prefix and body', () => {
  fc.assert(
    fc.property(algorithm, key, text, text, encoding, (...[name, secret, prefix, body, form]) => {
      const expected = createHmac(name, secret).update(prefix).update(body).digest(form)
      expect(hmac(name, secret, [prefix, body], form)).toBe(expected)
      expect(hmac(name, secret, [prefix, Buffer.from(body)], form)).toBe(expected)
    }),
    { numRuns: 2_000 },
  )
})

test('hmac accepts a body longer than any previous one', () => {
  for (const length of [5_000, 500_000, 3]) {
    const signed = '€'.repeat(length)
    const expected = createHmac('sha256', 'key').update(signed).digest('hex')
    expect(hmac('sha256', Buffer.from('key'), ['', signed], 'hex')).toBe(expected)
    expect(hmac('sha256', Buffer.from('key'), ['', Buffer.from(signed)], 'hex')).toBe(expected)
  }
})
