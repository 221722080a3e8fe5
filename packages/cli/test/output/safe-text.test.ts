import { expect, test } from 'vitest'
import { jsonText, printable } from '../../src/output/safe-text.ts'

test('replaces control characters, which could move the cursor, set colours or reverse text', () => {
  expect(printable('a\u001b[2Jb\nc\u009b31m\u202ed\u200ee')).toBe(
    'a\ufffd[2Jb\ufffdc\ufffd31m\ufffdd\ufffde',
  )
  expect(printable('Größe 🎉 "x"')).toBe('Größe 🎉 "x"')
})

test('JSON with indented lines keeps them', () => {
  expect(jsonText({ a: '\n\u009b' }, 2)).toBe('{\n  "a": "\\n\\u009b"\n}')
})
