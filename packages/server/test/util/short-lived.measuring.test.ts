import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { ShortLivedMap, ShortLivedSet } from '../../src/util/short-lived.ts'

const IN_FLIGHT = 20
const ADDED = 4_000
const BYTES = 10_000
const ADDED_PER_COLLECTION = 200

/** Bytes still in use after many values were added and deleted, with minor GCs only. */
function retained(add: (key: number, value: object) => () => void): number {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as (options?: { type: 'minor' }) => void
  const inFlight: (() => void)[] = []
  gc()
  const before = process.memoryUsage().heapUsed
  for (let key = 0; key < ADDED; key++) {
    inFlight.push(
      add(
        key,
        Array.from({ length: BYTES / 8 }, () => key),
      ),
    )
    if (inFlight.length > IN_FLIGHT) inFlight.shift()!()
    if (key % ADDED_PER_COLLECTION === 0) gc({ type: 'minor' })
  }
  for (const remove of inFlight) remove()
  gc({ type: 'minor' })
  return process.memoryUsage().heapUsed - before
}

const FEW = (ADDED * BYTES) / 10

describe('collections for short-lived entries', () => {
  it('do not keep deleted values alive until the next major GC', () => {
    const [set, map] = [new ShortLivedSet<object>(), new ShortLivedMap<number, object>()]
    expect(
      retained((_, value) => {
        const place = set.add(value)
        return () => set.delete(place)
      }),
    ).toBeLessThan(FEW)
    expect(
      retained((key, value) => {
        map.add(key, value)
        return () => map.delete(key)
      }),
    ).toBeLessThan(FEW)
  })

  it('are needed, because Map and Set keep them', () => {
    const [set, map] = [new Set<object>(), new Map<number, object>()]
    const bySet = retained((_, value) => {
      set.add(value)
      return () => set.delete(value)
    })
    const byMap = retained((key, value) => {
      map.set(key, value)
      return () => map.delete(key)
    })
    expect(Math.min(bySet, byMap)).toBeGreaterThan(FEW)
  })
})
