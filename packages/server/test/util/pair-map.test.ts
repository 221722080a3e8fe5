import { expect, test } from 'vitest'
import { PairMap } from '../../src/util/pair-map.ts'

test('pairs are different keys even if their concatenated strings are equal', () => {
  const map = new PairMap<number>()
  map.set('a b', 'c', 1)
  map.set('a', 'b c', 2)
  expect([map.get('a b', 'c'), map.get('a', 'b c'), map.get('a', 'c')]).toEqual([1, 2, undefined])
  expect([...map.values()]).toEqual([1, 2])
})

test('a pair counts once, until it is deleted', () => {
  const map = new PairMap<number>()
  map.set('a', 'b', 1)
  map.set('a', 'b', 2)
  map.set('a', 'c', 3)
  expect(map.size).toBe(2)
  map.delete('a', 'b')
  map.delete('a', 'b')
  map.delete('x', 'y')
  expect(map.size).toBe(1)
  expect([...map.values()]).toEqual([3])
})

test('values may be deleted during iteration', () => {
  const map = new PairMap<string>()
  for (const first of ['a', 'b'])
    for (const second of ['c', 'd']) map.set(first, second, first + second)
  for (const value of map.values()) map.delete(value[0]!, value[1]!)
  expect([map.size, [...map.values()]]).toEqual([0, []])
})
