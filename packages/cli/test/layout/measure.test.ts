import { describe, expect, test } from 'vitest'
import { columnsOf, cutText, fullLines, wordLines } from '../../src/layout/measure.ts'

describe('the width of text', () => {
  test.each([
    ['', 0],
    ['abc', 3],
    ['山田太郎', 8],
    ['👩‍👩‍👧', 2],
    ['👍🏽 ok', 5],
    ['ｶﾅ', 2],
    ['e\u0301', 1],
    ['𠮷野家', 6],
  ])('%s: %d', (text, columns) => {
    expect(columnsOf(text)).toBe(columns)
  })
})

describe('cut text', () => {
  test.each([
    ['abcdef', 6, 'abcdef'],
    ['abcdefg', 6, 'abcde…'],
    ['山田太郎', 6, '山田…'],
    ['a山田太郎', 6, 'a山田…'],
    ['𠮷野家です', 6, '𠮷野…'],
    ['ab 👩‍👩‍👧👩‍👩‍👧', 5, 'ab…'],
    ['one two', 5, 'one…'],
  ])('%s in %d columns is %s', (text, columns, expected) => {
    expect(cutText(text, columns)).toBe(expected)
    expect(columnsOf(cutText(text, columns))).toBeLessThanOrEqual(columns)
  })
})

test('words are wrapped, and long words are not split', () => {
  expect(wordLines('one two three', 7)).toEqual(['one two', 'three'])
  expect(wordLines('see https://crm.example/a/long/path now', 10)).toEqual([
    'see',
    'https://crm.example/a/long/path',
    'now',
  ])
  expect(wordLines('one  two', Infinity)).toEqual(['one  two'])
})

test('text without spaces is broken anywhere except within a character', () => {
  expect(fullLines('abcdefg', 3)).toEqual(['abc', 'def', 'g'])
  expect(fullLines('山田太郎', 5)).toEqual(['山田', '太郎'])
})
