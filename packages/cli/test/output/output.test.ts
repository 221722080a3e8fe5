import { expect, it } from 'vitest'
import { printable } from '../../src/output/output.ts'

it('replaces control characters, which could move the cursor, set colours or reverse text', () => {
  expect(printable('a\u001b[2Jb\nc\u009b31m\u202ed')).toBe('a\ufffd[2Jb\ufffdc\ufffd31m\ufffdd')
  expect(printable('Größe 🎉 "x"')).toBe('Größe 🎉 "x"')
})
