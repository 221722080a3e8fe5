import { expect, test } from 'vitest'
import { fingerprint, seal, unseal } from '../../../src/admin/idempotency.ts'
import { Redacted } from '../../../src/util/secrets/redacted.ts'

const credential = new Redacted('tok_the-token-that-sealed')
const LABEL = 'admin-token key-1'

test('opens text sealed by version 0.1.0', () => {
  const sealed =
    '3RPI7VUEiHdCBfYLlZ95dGjzc3RZgnzpdTS5Pg6a3hXnedM9tn6pP+tAhxyk+U75epJ59AaLO885fG1OwownJvsaN0JHAswIGsuE+fbu5tedJpQzmQE='
  const text = '{"status":201,"headers":{},"body":"{\\"token\\":\\"ünï\\"}"}'
  expect(unseal(sealed, credential, LABEL)).toBe(text)
})

test('opens only unaltered text, with the same credential and label', () => {
  const sealed = seal('my answer', credential, LABEL)
  expect(unseal(sealed, credential, LABEL)).toBe('my answer')
  expect(() => unseal(sealed, new Redacted('tok_other'), LABEL)).toThrow()
  expect(() => unseal(sealed, credential, 'admin-token key-2')).toThrow()
  expect(() => unseal(sealed.slice(0, 20), credential, LABEL)).toThrow()
  const altered = (sealed.startsWith('A') ? 'B' : 'A') + sealed.slice(1)
  expect(() => unseal(altered, credential, LABEL)).toThrow()
})

test('a fingerprint depends on the text and on the credential', () => {
  const one = fingerprint('a', credential)
  expect(fingerprint('a', credential)).toBe(one)
  expect(fingerprint('b', credential)).not.toBe(one)
  expect(fingerprint('a', new Redacted('tok_other'))).not.toBe(one)
})
