import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decrypt, encrypt } from '../../../src/util/secrets/aes-gcm.ts'

const KEY = Buffer.alloc(32, 1)

test('decrypts what was encrypted, with the same key and label', () => {
  const property = fc.property(fc.string(), fc.string(), (text, label) => {
    expect(decrypt(encrypt(text, KEY, label), KEY, label)).toBe(text)
  })
  fc.assert(property)
  expect(() => decrypt(encrypt('text', KEY, 'a'), KEY, 'b')).toThrow()
  expect(() => decrypt(encrypt('text', KEY), Buffer.alloc(32, 2))).toThrow()
})

test('rejects altered and shortened bytes, also a shortened tag', () => {
  const bytes = encrypt('text', KEY)
  for (const at of [0, 12, bytes.length - 1]) {
    const altered = Buffer.from(bytes)
    altered[at]! ^= 1
    expect(() => decrypt(altered, KEY), String(at)).toThrow()
  }
  for (const length of [0, 12, 16, 27, bytes.length - 1]) {
    expect(() => decrypt(bytes.subarray(0, length), KEY), String(length)).toThrow()
  }
})
