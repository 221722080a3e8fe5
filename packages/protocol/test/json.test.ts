import { describe, expect, test } from 'vitest'
import {
  containsNumber,
  inexactIntegers,
  isBeyondExact,
  isDeeperThan,
  type Json,
} from '../src/index.ts'

const nested = (levels: number): Json => JSON.parse('['.repeat(levels) + ']'.repeat(levels)) as Json

describe('nesting', () => {
  test('counts the outermost object or array as the first level', () => {
    expect(isDeeperThan(nested(64), 64)).toBe(false)
    expect(isDeeperThan(nested(65), 64)).toBe(true)
    expect(isDeeperThan('text', 0)).toBe(false)
  })

  test('is measured for the deepest JSON of a request without exhausting the stack', () => {
    expect(isDeeperThan(nested(250_000), 64)).toBe(true)
  })
})

describe('integers beyond 2^53', () => {
  test.for<[string, boolean]>([
    ['{"id":9007199254740993}', true],
    ['{"id":-12345678901234567890}', true],
    ['{"id":9007199254740992}', false],
    ['{"id":9007199254740991}', false],
    ['{"id":"12345678901234567890"}', false],
    ['{"x":0.12345678901234567890}', false],
    ['{"x":1234567890123456.5}', false],
    ['{"x":12345678901234567e3}', false],
  ])('%s: precision lost %s', ([text, isLost]) => {
    const numbers = inexactIntegers(text)
    const value = JSON.parse(text) as Json
    expect(containsNumber(value, (number) => numbers.has(number))).toBe(isLost)
    if (isLost) expect(containsNumber(value, isBeyondExact)).toBe(true)
  })
})
