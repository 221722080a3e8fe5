import { describe, expect, test } from 'vitest'
import { shownLines, shownText } from '../../src/format/shown-text.ts'

describe('text from a sender', () => {
  test.for([
    ['Order Completed', 'Order Completed'],
    ['über 東京 🛒', 'über 東京 🛒'],
    ['\u001b[31mred', '␛[31mred'],
    ['a\nb\tc\u0000', 'a␊b␉c␀'],
    ['\u007f', '␡'],
    ['user\u202egnp.exe', 'user⟨U+202E⟩gnp.exe'],
    ['pay\u200bpal', 'pay⟨U+200B⟩pal'],
    ['\u{e0041}', '⟨U+E0041⟩'],
    ['<script>alert(1)</script>', '<script>alert(1)</script>'],
  ])('%j is shown as %j', ([text, shown]) => {
    expect(shownText(text!)).toBe(shown)
  })

  test('is shown up to its limit', () => {
    expect(shownText('x'.repeat(32_768))).toBe(`${'x'.repeat(300)}…`)
    expect(shownText('abcdef', 3)).toBe('abc…')
  })

  test('keeps its line breaks', () => {
    expect(shownLines('{\n\t"a": 1\r\n}\u0007')).toBe('{\n\t"a": 1␍\n}␇')
  })
})
