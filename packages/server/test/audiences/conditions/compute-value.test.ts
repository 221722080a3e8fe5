import type { ComputeFunction, Compute, Json } from '@hookline/protocol'
import { describe, expect, test } from 'vitest'
import { computeValue } from '../../../src/audiences/conditions/compute-value.ts'
import { NOON } from '@hookline/testing/records/accepted-event'
import { factsAt, factsWith } from './profile-view.ts'

const HOUR = 60 * 60 * 1000
const compute = (fn: ComputeFunction, change: Partial<Compute> = {}): Compute => ({
  fn,
  event: 'Order Completed',
  ...(fn !== 'count' && { property: 'p' }),
  ...change,
})

describe('a computed trait', () => {
  test.for<[fn: ComputeFunction, values: Json[], value: Json]>([
    ['count', [null, null, null], 3],
    ['sum', [1, 2.5, -1], 2.5],
    ['sum', [1, '2', true, [3], null, 4], 5],
    ['sum', [1e308, 1e308], null],
    ['avg', [1, 2, 6], 3],
    ['avg', [1, 'x', 2], 1.5],
    ['min', [3, 1, 2], 1],
    ['min', [3, '1', false], 3],
    ['max', [3, 1, 2], 3],
    ['max', [-3, '9', true], -3],
    ['first', ['a', 'b'], 'a'],
    ['first', [null, { a: 1 }], { a: 1 }],
    ['last', ['a', 'b', null], 'b'],
    ['last', [1, [2]], [2]],
    ['most_frequent', ['a', 'b', 'b'], 'b'],
    ['most_frequent', ['b', 'a', 'B'], 'B'],
    ['most_frequent', ['1', 1, 10, 9], 1],
    ['most_frequent', [['a'], ['a'], 'b'], 'b'],
    ['unique_list', ['b', 'a', 'b'], ['a', 'b']],
    ['unique_list', ['10', 10, 9, true, false, 'ä', 'z', {}], [false, true, 9, 10, '10', 'z', 'ä']],
    ['unique_count', ['b', 'a', 'b', 1, '1'], 4],
    ['unique_count', [{}, [], 'a'], 1],
  ])('%s of %j is %j', ([fn, values, value]) => {
    const facts = factsWith(values, NOON)
    const expected = { value, recheckAt: null }
    expect(computeValue(compute(fn), facts, NOON, false)).toEqual(expected)
    expect(computeValue(compute(fn), facts.toReversed(), NOON, true)).toEqual(expected)
  })

  test('orders events with the same time by their position', () => {
    const facts = [
      { at: NOON, position: 2, value: 'b' },
      { at: NOON, position: 1, value: 'a' },
    ]
    expect(computeValue(compute('first'), facts, NOON, false).value).toBe('a')
    expect(computeValue(compute('last'), facts, NOON, false).value).toBe('b')
  })

  test('lists at most 1,000 values, but counts all', () => {
    const facts = factsWith(
      Array.from({ length: 1_500 }, (_, index) => 1_500 - index),
      NOON,
    )
    const { value } = computeValue(compute('unique_list'), facts, NOON, false)
    expect(value).toEqual(Array.from({ length: 1_000 }, (_, index) => index + 1))
    expect(computeValue(compute('unique_count'), facts, NOON, false).value).toBe(1_500)
  })

  test('uses all 10,000 facts', () => {
    const facts = factsWith(
      Array.from({ length: 10_000 }, (_, index) => index),
      NOON,
    )
    const { value } = computeValue(compute('max'), facts, NOON, false)
    expect(value).toBe(9_999)
  })
})

describe('a user without usable events', () => {
  test.for<[fn: ComputeFunction, empty: Json]>([
    ['count', 0],
    ['sum', 0],
    ['avg', null],
    ['min', null],
    ['max', null],
    ['first', null],
    ['last', null],
    ['most_frequent', null],
    ['unique_list', []],
    ['unique_count', 0],
  ])('who once had a value gets %s = %j', ([fn, value]) => {
    const change = { within: { hours: 1 } }
    const outside = fn === 'count' ? [] : factsWith([null], NOON)
    for (const facts of [[], factsAt(NOON - HOUR), outside]) {
      expect(computeValue(compute(fn, change), facts, NOON, true)).toEqual({
        value,
        recheckAt: null,
      })
      const without = computeValue(compute(fn, change), facts, NOON, false)
      expect(without).toEqual({ value: undefined, recheckAt: null })
    }
  })
})

describe('a window', () => {
  const facts = [
    { at: NOON - 3 * HOUR, position: 1, value: 1 },
    { at: NOON - 2 * HOUR, position: 2, value: 10 },
    { at: NOON - 1 * HOUR, position: 3, value: 'x' },
    { at: NOON + 9 * HOUR, position: 4, value: 100 },
  ]

  test('that slides includes all events since its start, even future ones', () => {
    const trait = compute('sum', { within: { hours: 3 } })
    expect(computeValue(trait, facts, NOON, false)).toEqual({ value: 110, recheckAt: NOON + HOUR })
  })

  test('that slides changes when an event leaves it', () => {
    const trait = compute('sum', { within: { minutes: 90 } })
    const recheckAt = NOON + 10.5 * HOUR
    expect(computeValue(trait, facts, NOON, false)).toEqual({ value: 100, recheckAt })
  })

  test('that is fixed never changes', () => {
    const between = ['2026-01-15T09:00:00.000Z', '2026-01-15T10:00:00.000Z'] as const
    const trait = compute('sum', { between })
    expect(computeValue(trait, facts, NOON, false)).toEqual({ value: 1, recheckAt: null })
  })
})
