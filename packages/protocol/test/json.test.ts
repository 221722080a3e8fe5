import { describe, expect, test } from 'vitest'
import { isDeeperThan, type Json } from '../src/index.ts'

const nested = (levels: number): Json => JSON.parse('['.repeat(levels) + ']'.repeat(levels)) as Json

describe('nesting', () => {
  test('counts the outermost object or array as the first level', () => {
    expect(isDeeperThan(nested(64), 64)).toBe(false)
    expect(isDeeperThan(nested(65), 64)).toBe(true)
    expect(isDeeperThan('text', 0)).toBe(false)
  })

  test('is measured without exhausting the stack, even for the deepest possible JSON of a request', () => {
    expect(isDeeperThan(nested(250_000), 64)).toBe(true)
  })
})
