import { describe, expect, it } from 'vitest'
import { type ShortLivedEntry, ShortLivedMap, ShortLivedSet } from '../../src/util/short-lived.ts'

describe('collections for short-lived entries', () => {
  it('list values in the order of insertion', () => {
    const set = new ShortLivedSet<number>()
    const places: ShortLivedEntry<number>[] = [0, 1, 2, 3, 4].map((value) => set.add(value))
    expect(set.values()).toEqual([0, 1, 2, 3, 4])
    for (const index of [0, 2, 4]) expect(set.delete(places[index]!)).toBe(true)
    expect(set.delete(places[2]!)).toBe(false)
    expect([set.values(), set.size, set.first?.value]).toEqual([[1, 3], 2, 1])
    for (const index of [3, 1]) set.delete(places[index]!)
    expect([set.values(), set.size, set.first]).toEqual([[], 0, undefined])
    set.add(5)
    expect(set.values()).toEqual([5])
  })

  it('find values by key, until they are deleted', () => {
    const map = new ShortLivedMap<string, number>()
    map.add('a', 1)
    map.add('b', 2)
    expect([map.get('a'), map.get('c'), map.size, map.values()]).toEqual([1, undefined, 2, [1, 2]])
    expect([map.delete('a'), map.delete('a')]).toEqual([true, false])
    expect([map.get('a'), map.values()]).toEqual([undefined, [2]])
    map.clear()
    expect(map.size).toBe(0)
  })
})
