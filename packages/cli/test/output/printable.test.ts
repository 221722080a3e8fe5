import { expect, it } from 'vitest'
import { printable } from '../../src/output/printable.ts'

it('lets no text of others move the cursor, colour the terminal or turn its direction', () => {
  expect(printable('a\u001b[2Jb\nc\u009b31m\u202ed')).toBe('a\ufffd[2Jb\ufffdc\ufffd31m\ufffdd')
  expect(printable('Größe 🎉 "x"')).toBe('Größe 🎉 "x"')
})
