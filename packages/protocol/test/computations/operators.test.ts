import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Comparison,
  formatTimestamp,
  comparisonHolds,
  type Json,
  nextChangeOf,
  type Operator,
  OPERATOR_TABLE,
  OPERATORS,
} from '../../src/index.ts'

const NOW = Date.UTC(2026, 0, 15, 12)
const DAY = 24 * 60 * 60 * 1000
const daysAgo = (days: number) => formatTimestamp(NOW - days * DAY)

type Values = readonly Json[]

/** For each operand: values for which the operator holds, values for which it does not, and mistyped values. */
const EXAMPLES: Readonly<
  Record<Operator, readonly { value?: Json; yes: Values; no: Values; mistyped: Values }[]>
> = {
  equals: [
    { value: 'pro', yes: ['pro'], no: ['Pro', 'pro ', ''], mistyped: [1, true, ['pro'], {}] },
    { value: 1, yes: [1, 1.0], no: [2, -1], mistyped: ['1', true, [1]] },
    { value: false, yes: [false], no: [true], mistyped: [0, '', 'false'] },
    { value: [1, 'a'], yes: [[1, 'a']], no: [['a', 1], [1], []], mistyped: ['1,a', { 0: 1 }] },
    {
      value: { a: 1, b: { c: [2] } },
      yes: [{ b: { c: [2] }, a: 1 }],
      no: [{ a: 1 }, { a: 1, b: { c: [2] }, d: 1 }, { a: 1, b: { c: [3] } }],
      mistyped: ['{}', [1]],
    },
  ],
  not_equals: [
    { value: 'pro', yes: ['free', ''], no: ['pro'], mistyped: [1, true, ['pro']] },
    { value: { a: 1 }, yes: [{}, { a: 2 }], no: [{ a: 1 }], mistyped: ['a'] },
  ],
  '<': [{ value: 5, yes: [4.9, -1], no: [5, 6], mistyped: ['4', true, [4], {}] }],
  '<=': [{ value: 5, yes: [4.9, 5], no: [5.1], mistyped: ['4', false, [4]] }],
  '>': [{ value: 5, yes: [5.1], no: [5, 4], mistyped: ['6', true, [6]] }],
  '>=': [{ value: 5, yes: [5, 6], no: [4.9], mistyped: ['6', true, [6]] }],
  contains: [
    { value: 'ro', yes: ['pro', 'ro', ['ro', 1]], no: ['PRO', '', ['pro'], []], mistyped: [1, {}] },
    { value: 1, yes: [[1], ['a', 1]], no: [['1'], []], mistyped: ['1', 1, true] },
  ],
  not_contains: [
    { value: 'ro', yes: ['PRO', ['pro'], []], no: ['pro', ['ro']], mistyped: [1, true, {}] },
    { value: 1, yes: [['1']], no: [[1]], mistyped: ['1', 1] },
  ],
  starts_with: [{ value: 'ab', yes: ['ab', 'abc'], no: ['cab', 'Ab', ''], mistyped: [1, ['ab']] }],
  ends_with: [{ value: 'ab', yes: ['ab', 'cab'], no: ['abc', ''], mistyped: [1, ['ab'], {}] }],
  exists: [{ yes: ['', 0, false, [], {}, 'a'], no: [], mistyped: [] }],
  not_exists: [{ yes: [], no: ['', 0, false, [], {}, 'a'], mistyped: [] }],
  one_of: [{ value: ['a', 1], yes: ['a', 1], no: ['b', 2], mistyped: [true, ['a'], {}] }],
  before: [
    {
      value: '2026-01-15',
      yes: ['2026-01-14T23:59:59.999Z', '2026-01-15T00:30:00+01:00', 0, NOW - DAY],
      no: ['2026-01-15', '2026-02-01'],
      mistyped: ['soon', '', true, ['2026-01-14'], {}],
    },
    { value: NOW, yes: [NOW - 1, NOW / 1000 - 1], no: [NOW], mistyped: ['x'] },
  ],
  after: [
    {
      value: '2026-01-15T12:00:00Z',
      yes: ['2026-01-15T12:00:00.001Z', NOW + 1],
      no: ['2026-01-15T12:00:00.000Z', NOW, '2026-01-15'],
      mistyped: ['soon', true, []],
    },
  ],
  within_last_days: [
    {
      value: 7,
      yes: [daysAgo(0), daysAgo(6.999), NOW],
      no: [daysAgo(7), daysAgo(-0.001), daysAgo(400), 0],
      mistyped: ['soon', false, [daysAgo(1)]],
    },
  ],
}

const CASES = OPERATORS.flatMap((op) => EXAMPLES[op].map((example) => ({ op, ...example })))

describe('the operator', () => {
  test.for(CASES)('$op with $value', ({ op, value, yes, no, mistyped }) => {
    const comparison: Comparison = value === undefined ? { op } : { op, value }
    const { onMissing, onMistyped } = OPERATOR_TABLE[op]
    const failed = (expected: boolean, values: readonly (Json | undefined)[]) =>
      values.filter((actual) => comparisonHolds(comparison, actual, NOW) !== expected)
    expect(failed(true, yes)).toEqual([])
    expect(failed(false, no)).toEqual([])
    expect(failed(onMistyped, mistyped)).toEqual([])
    expect(failed(onMissing, [undefined, null])).toEqual([])
  })

  test.for<[Operator, Operator]>([
    ['equals', 'not_equals'],
    ['contains', 'not_contains'],
    ['exists', 'not_exists'],
  ])('%s holds exactly when %s does not', ([op, opposite]) => {
    const any = fc.option(fc.jsonValue(), { nil: undefined }) as fc.Arbitrary<Json | undefined>
    fc.assert(
      fc.property(any, any, (actual, value) => {
        const comparison = value === undefined ? {} : { value }
        return (
          comparisonHolds({ op, ...comparison }, actual, NOW) !==
          comparisonHolds({ op: opposite, ...comparison }, actual, NOW)
        )
      }),
    )
  })

  test('never holds for missing or mistyped values if it compares numbers or dates', () => {
    const comparing = ['<', '<=', '>', '>=', 'before', 'after', 'within_last_days'] as const
    const rows = comparing.map((op) => OPERATOR_TABLE[op])
    expect(rows.filter(({ onMissing, onMistyped }) => onMissing || onMistyped)).toEqual([])
  })
})

describe('a comparison', () => {
  const lastWeek: Comparison = { op: 'within_last_days', value: 7 }

  test.for<[what: string, Comparison, Json | undefined, number | null]>([
    ['changes when a date leaves the window', lastWeek, daysAgo(2), NOW + 5 * DAY],
    ['changes when a future date is reached', lastWeek, daysAgo(-2), NOW + 2 * DAY],
    ['changes when a date that is now leaves the window', lastWeek, daysAgo(0), NOW + 7 * DAY],
    ['never changes for a date that is too old', lastWeek, daysAgo(7), null],
    ['never changes for an invalid date', lastWeek, 'soon', null],
    ['never changes for a missing date', lastWeek, undefined, null],
    [
      'never changes for any other operator',
      { op: 'before', value: daysAgo(-1) },
      daysAgo(0),
      null,
    ],
  ])('%s', ([_what, comparison, actual, expected]) => {
    expect(nextChangeOf(comparison, actual, NOW)).toBe(expected)
  })

  test('changes at exactly the time that nextChangeOf returns, and not before', () => {
    const cases = fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: -9, max: 9 }))
    fc.assert(
      fc.property(cases, ([value, days]) => {
        const comparison: Comparison = { op: 'within_last_days', value }
        const at = daysAgo(days / 2)
        const next = nextChangeOf(comparison, at, NOW)
        const before = comparisonHolds(comparison, at, NOW)
        if (next === null) {
          expect(comparisonHolds(comparison, at, NOW + 100 * DAY)).toBe(before)
        } else {
          expect(comparisonHolds(comparison, at, next - 1)).toBe(before)
          expect(comparisonHolds(comparison, at, next)).toBe(!before)
        }
      }),
    )
  })
})
