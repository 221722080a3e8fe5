import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  decrypt,
  encrypt,
  SecretBox,
  SecretBoxError,
} from '../../../src/util/secrets/secret-box.ts'

const newBox = (...keys: string[]): SecretBox => new SecretBox(SecretBox.keysIn(keys.join())!)
const [first, second] = [SecretBox.newKey(), SecretBox.newKey()]

describe('a secret box', () => {
  test('opens anything that it sealed', () => {
    const box = newBox(first)
    const sealing = fc.property(fc.string({ unit: 'binary' }), fc.string(), (text, label) => {
      const wellFormed = text.toWellFormed()
      expect(box.open(box.seal(wellFormed, label), label)).toBe(wellFormed)
    })
    fc.assert(sealing)
  })

  test('seals the same text differently each time, and reveals nothing of it', () => {
    const box = newBox(first)
    const sealed = [box.seal('my secret', 'a'), box.seal('my secret', 'a')]
    expect(sealed[0]).not.toBe(sealed[1])
    expect(sealed.join()).not.toContain('secret')
    expect(sealed.join()).not.toContain(Buffer.from('my secret').toString('base64url').slice(0, 8))
  })

  test('opens text sealed by version 0.1.0', () => {
    const box = new SecretBox([Buffer.alloc(32, 7)])
    const sealed =
      '4bb06f8e4e3a7715.GR9tFYYSQB7a4i5PjYqJmOOdJrLkbj8u_GwpUsNfkbfAXDa9WcL_iQ6E7tdkVwPQ77k'
    expect(box.open(sealed, 'dst_1')).toBe('correct horse bättery')
    expect(box.open('4bb06f8e4e3a7715.9U3dK1EA04Hc90HmkvznyKeDQ0y2b5MXPSczKw', 'dst_1')).toBe('')
  })

  test('opens neither altered text nor text sealed with another label or key', () => {
    const box = newBox(first)
    const sealed = box.seal('my secret', 'dst_a')
    expect(() => box.open(sealed, 'dst_b')).toThrow(SecretBoxError)
    expect(() => newBox(second).open(sealed, 'dst_a')).toThrow(SecretBoxError)
    for (const at of [sealed.indexOf('.') + 1, sealed.length - 2]) {
      const altered = `${sealed.slice(0, at)}${sealed[at] === 'A' ? 'B' : 'A'}${sealed.slice(at + 1)}`
      expect(() => box.open(altered, 'dst_a')).toThrow(SecretBoxError)
    }
  })

  test('opens with any of its keys, and seals with the first', () => {
    const before = newBox(first).seal('my secret', 'a')
    const box = newBox(second, first)
    expect(box.open(before, 'a')).toBe('my secret')
    expect(SecretBox.keyIdOf(before)).toBe(newBox(first).keyId)
    expect(SecretBox.keyIdOf(box.seal('my secret', 'a'))).toBe(newBox(second).keyId)
  })

  test('accepts only keys of 32 bytes, one or several, as base64 or hex', () => {
    const hex = Buffer.from(first, 'base64').toString('hex')
    expect(newBox(hex).keyId).toBe(newBox(first).keyId)
    expect(SecretBox.keysIn(` ${first}\n${second},${hex} `)).toHaveLength(3)
    expect(newBox(Buffer.from(first, 'base64').toString('base64url')).keyId).toBe(
      newBox(first).keyId,
    )
    for (const text of [
      '',
      'password',
      first.slice(1),
      `${hex}0`,
      `${first},short`,
      '?'.repeat(43),
    ])
      expect(SecretBox.keysIn(text), text).toBeUndefined()
  })
})

const KEY = Buffer.alloc(32, 1)

test('encrypted text can be decrypted only with the same key and label', () => {
  const property = fc.property(fc.string(), fc.string(), (text, label) => {
    expect(decrypt(encrypt(text, KEY, label), KEY, label)).toBe(text)
  })
  fc.assert(property)
  expect(() => decrypt(encrypt('text', KEY, 'a'), KEY, 'b')).toThrow()
  expect(() => decrypt(encrypt('text', KEY), Buffer.alloc(32, 2))).toThrow()
})

test('altered or shortened bytes are not decrypted, even if only the tag is shortened', () => {
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
