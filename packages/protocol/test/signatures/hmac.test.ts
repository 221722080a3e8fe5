import fc from 'fast-check'
import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { hmac } from '../../src/signatures/hmac.ts'

const algorithm = fc.constantFrom('sha1', 'sha256')
const encoding = fc.constantFrom('hex', 'base64')
const text = fc.string({ unit: 'binary', maxLength: 300 })
// Shorter and longer than a block of 64 bytes: a longer key is digested first.
const key = fc.uint8Array({ maxLength: 200 })

test('equals the HMAC of Node for any key and text', () => {
  fc.assert(
    fc.property(algorithm, key, text, encoding, (...[name, secret, signed, form]) => {
      const expected = createHmac(name, secret).update(signed, 'utf8').digest(form)
      expect(hmac(name, secret, signed, form)).toBe(expected)
    }),
    { numRuns: 2_000 },
  )
})

test('accepts a text that is longer than all before', () => {
  for (const length of [5_000, 500_000, 3]) {
    const signed = '€'.repeat(length)
    const expected = createHmac('sha256', 'key').update(signed).digest('hex')
    expect(hmac('sha256', Buffer.from('key'), signed, 'hex')).toBe(expected)
  }
})
