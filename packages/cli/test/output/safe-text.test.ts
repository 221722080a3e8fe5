import { expect, test } from 'vitest'
import { jsonText, printableText, terminalText } from '../../src/output/safe-text.ts'

test.each([
  [
    'controls, which could move the cursor or set colours',
    'a\u001b[2Jb\nc\u009b31m',
    String.raw`a\x1b[2Jb\nc\x9b31m`,
  ],
  ['characters that reverse text', 'd\u202ee\u200ef\u2066', String.raw`d\u202ee\u200ef\u2066`],
  [
    'characters without width',
    'ad\u200bm\u2060i\u00adn\ufeff',
    String.raw`ad\u200bm\u2060i\xadn\ufeff`,
  ],
  ['tags and fillers', 'a\u{e0041}\u3164\u2800', `a\\u{e0041}\\u3164\u2800`],
  ['line separators and lone surrogates', 'a\u2028b\ud800', String.raw`a\u2028b\ud800`],
  ['a joiner between letters that do not join', 'ad\u200dmin', String.raw`ad\u200dmin`],
  ['the fifth mark on a letter', `e${'\u0301'.repeat(5)}`, `e${'\u0301'.repeat(4)}\\u0301`],
])('shows as escapes: %s', (_what, text, shown) => {
  expect(printableText(text)).toBe(shown)
})

test.each(['Größe 🎉 "x"', '山田太郎', '👩‍👩‍👧 ❤️ 👍🏽', 'می\u200cخواهم', 'é'])(
  'leaves %s unchanged',
  (text) => {
    expect([printableText(text), terminalText(text), JSON.parse(jsonText(text))]).toEqual(
      Array(3).fill(text),
    )
  },
)

test('colours in external text are escaped', () => {
  expect(terminalText('\u001b[8mhidden\u001b[0m\n\tx')).toBe('\\x1b[8mhidden\\x1b[0m\n\tx')
})

test('JSON with indented lines keeps them, and parses to the same value', () => {
  expect(jsonText({ a: '\n\u009b' }, 2)).toBe('{\n  "a": "\\n\\u009b"\n}')
  expect(JSON.parse(jsonText('\u200b\u{e0041}\u202e'))).toBe('\u200b\u{e0041}\u202e')
})
