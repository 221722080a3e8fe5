import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { validateCondition } from '../../../src/audiences/conditions/validate-condition.ts'
import { audienceId } from './new-computation.ts'

const plan = { trait: 'plan', op: 'equals', value: 'pro' }
const order = { event: 'Order Completed' }
const trait = (op: unknown, ...value: unknown[]) =>
  value.length > 0 ? { trait: 'plan', op, value: value[0] } : { trait: 'plan', op }
const where = (...filters: unknown[]) => ({ ...order, where: filters })
const times = (count: number, each: unknown) => Array.from({ length: count }, () => each)
const nested = (levels: number) => {
  let condition: unknown = plan
  for (let level = 1; level < levels; level++) condition = { not: condition }
  return condition
}
const listed = (levels: number) => {
  let value: unknown = 1
  for (let level = 0; level < levels; level++) value = [value]
  return value
}

function errorsOf(input: unknown): string[] {
  const validated = validateCondition(input)
  return 'errors' in validated
    ? validated.errors.map(({ pointer, code }) => `${pointer} ${code}`)
    : []
}

describe('a condition is valid', () => {
  test.for<[what: string, condition: unknown]>([
    [
      'as in the specification',
      {
        and: [
          plan,
          { or: [{ not: { audience: audienceId('a') } }] },
          {
            ...order,
            count: { op: '>=', n: 2 },
            within: { days: 30 },
            where: [{ property: 'revenue', op: '>', value: 50 }],
          },
          { computedTrait: 'orders_30d', op: '>', value: 3 },
        ],
      },
    ],
    ['with a named page', { type: 'page', name: 'Pricing' }],
    ['with a screen', { type: 'screen', within: { hours: 1 } }],
    ['with an identify', { type: 'identify', where: [{ property: 'a.b', op: 'not_exists' }] }],
    ['with a count of 0', { ...order, count: { op: '==', n: 0 } }],
    ['with a count of 10,000', { ...order, count: { op: '!=', n: 10_000 } }],
    ['with a fixed window', { ...order, between: ['2026-01-01', '2026-02-01T00:00:00.000Z'] }],
    ['with the longest window', { ...order, within: { days: 3650 } }],
    ['with the longest window in seconds', { ...order, within: { seconds: 3650 * 86_400 } }],
    ['with 20 filters', where(...times(20, { property: 'a', op: 'exists' }))],
    ['with 50 clauses', { and: times(50, plan) }],
    ['with 10 levels', nested(10)],
    ['with a list of 100 values', trait('one_of', times(100, 'x'))],
    ['with a string of 500 characters', trait('contains', 'x'.repeat(500))],
    ['with an empty string', trait('equals', '')],
    ['with a list', trait('equals', listed(10))],
    ['with an object', trait('not_equals', { a: [1, null] })],
    ['with a number for a date', trait('before', 1_763_681_114)],
  ])('%s', ([_what, condition]) => {
    expect(validateCondition(condition)).toEqual({ condition })
  })
})

describe('a condition is refused', () => {
  test.for<[what: string, condition: unknown, ...errors: string[]]>([
    ['that is missing', undefined, ' invalid_type'],
    ['that is null', null, ' invalid_type'],
    ['that is a list', [plan], ' invalid_type'],
    ['that is empty', {}, ' required'],
    ['that compares nothing', { op: 'equals', value: 1 }, ' required'],
    ['with an unknown field', { ...plan, vlaue: 1 }, '/vlaue unknown_field'],
    [
      'with __proto__',
      JSON.parse('{"trait":"a","op":"exists","__proto__":{}}'),
      '/__proto__ unknown_field',
    ],
    ['with a field alongside `and`', { and: [plan], name: 'x' }, '/name unknown_field'],
    ['with two kinds', { ...plan, event: 'x' }, '/event exclusive'],
    ['with `event` and `type`', { ...order, type: 'page' }, '/type exclusive'],
    ['with `and` alongside `or`', { and: [plan], or: [plan] }, '/or exclusive'],
    ['with an empty `and`', { and: [] }, '/and invalid_type'],
    ['with an `or` that is not a list', { or: plan }, '/or invalid_type'],
    ['with a `not` that is null', { not: null }, '/not invalid_type'],
    ['with a `not` of a list', { not: [plan] }, '/not invalid_type'],
    [
      'with errors deep inside',
      { and: [plan, { or: [{ not: { trait: '', op: 'equals' } }, 7] }] },
      '/and/1/or/0/not/trait too_short',
      '/and/1/or/0/not/value required',
      '/and/1/or/1 invalid_type',
    ],
    ['with 11 levels', nested(11), `${'/not'.repeat(10)} too_deep`],
    ['with 51 clauses', { and: times(51, plan) }, '/and/50 too_many'],
    [
      'with 51 clauses in groups',
      { and: [{ or: times(30, plan) }, { or: times(30, plan) }] },
      '/and/1/or/20 too_many',
    ],
    ['with a trait that is not a string', { trait: 1, op: 'exists' }, '/trait invalid_type'],
    ['with a long trait', { trait: 'x'.repeat(501), op: 'exists' }, '/trait too_long'],
    ['with an empty path segment', { trait: 'a..b', op: 'exists' }, '/trait invalid_format'],
    ['without an operator', { trait: 'plan' }, '/op required'],
    ['with an unknown operator', trait('is', 1), '/op not_allowed'],
    ['with an inherited operator', trait('toString', 1), '/op not_allowed'],
    ['without a value', trait('equals'), '/value required'],
    ['with a value for `exists`', trait('exists', true), '/value not_allowed'],
    ['with null', trait('equals', null), '/value not_allowed'],
    ['with a string instead of a number', trait('<', '5'), '/value not_allowed'],
    ['with an infinite number', trait('<', Infinity), '/value not_allowed'],
    ['with an infinite number in a list', trait('equals', [Infinity]), '/value not_allowed'],
    ['with a number instead of a string', trait('starts_with', 1), '/value not_allowed'],
    ['with a list for `contains`', trait('contains', ['a']), '/value not_allowed'],
    ['with a long string', trait('equals', 'x'.repeat(501)), '/value too_long'],
    ['with a long string in a list', trait('one_of', ['x'.repeat(501)]), '/value too_long'],
    ['with a large object', trait('equals', { a: times(2501, 1) }), '/value not_allowed'],
    ['with a deep list', trait('equals', listed(11)), '/value not_allowed'],
    ['with a very deep list', trait('equals', listed(5_000)), '/value not_allowed'],
    ['with a string for `one_of`', trait('one_of', 'a'), '/value not_allowed'],
    ['with an empty list', trait('one_of', []), '/value not_allowed'],
    ['with 101 values', trait('one_of', times(101, 1)), '/value not_allowed'],
    ['with a list of lists', trait('one_of', [[1]]), '/value not_allowed'],
    ['with an invalid date', trait('before', 'soon'), '/value not_allowed'],
    ['with true instead of a date', trait('after', true), '/value not_allowed'],
    ['with half a day', trait('within_last_days', 0.5), '/value not_allowed'],
    ['with too many days', trait('within_last_days', 3651), '/value not_allowed'],
    ['with an event that is not a string', { event: 7 }, '/event invalid_type'],
    ['with an empty event', { event: '' }, '/event too_short'],
    ['with the type `track`', { type: 'track' }, '/type not_allowed'],
    ['with an unknown type', { type: 'visit' }, '/type not_allowed'],
    ['with a name alongside an event', { ...order, name: 'x' }, '/name unknown_field'],
    ['with a name for a group', { type: 'group', name: 'x' }, '/name not_allowed'],
    ['with an empty name', { type: 'page', name: '' }, '/name too_short'],
    ['with a count that is a number', { ...order, count: 2 }, '/count invalid_type'],
    [
      'with an empty count',
      { ...order, count: {} },
      '/count/op not_allowed',
      '/count/n out_of_range',
    ],
    [
      'with a string operator in `count`',
      { ...order, count: { op: 'equals', n: 1 } },
      '/count/op not_allowed',
    ],
    ['with a negative count', { ...order, count: { op: '<', n: -1 } }, '/count/n out_of_range'],
    ['with a fractional count', { ...order, count: { op: '<', n: 1.5 } }, '/count/n out_of_range'],
    [
      'with a count that is too high',
      { ...order, count: { op: '<', n: 10_001 } },
      '/count/n out_of_range',
    ],
    [
      'with an extra field in `count`',
      { ...order, count: { op: '<', n: 1, of: 2 } },
      '/count/of unknown_field',
    ],
    [
      'with two windows',
      { ...order, within: { days: 1 }, between: ['2026', '2027'] },
      '/between exclusive',
      '/between/0 invalid_format',
      '/between/1 invalid_format',
    ],
    ['with a window that is a number', { ...order, within: 30 }, '/within invalid_type'],
    ['with an empty window', { ...order, within: {} }, '/within required'],
    ['with two units', { ...order, within: { days: 1, hours: 1 } }, '/within exclusive'],
    ['with weeks', { ...order, within: { weeks: 1 } }, '/within/weeks unknown_field'],
    ['with a window of 0 days', { ...order, within: { days: 0 } }, '/within out_of_range'],
    ['with half a day', { ...order, within: { days: 0.5 } }, '/within out_of_range'],
    ['with 3,651 days', { ...order, within: { days: 3651 } }, '/within out_of_range'],
    ['with too many hours', { ...order, within: { hours: 3650 * 24 + 1 } }, '/within out_of_range'],
    [
      'with a `between` of one date',
      { ...order, between: ['2026-01-01'] },
      '/between invalid_type',
    ],
    [
      'with a `between` of numbers',
      { ...order, between: [1, 2] },
      '/between/0 invalid_format',
      '/between/1 invalid_format',
    ],
    [
      'with a `between` that ends before it starts',
      { ...order, between: ['2026-02-01', '2026-01-01'] },
      '/between out_of_range',
    ],
    ['with a `where` that is an object', { ...order, where: {} }, '/where invalid_type'],
    ['with 21 filters', where(...times(21, { property: 'a', op: 'exists' })), '/where too_many'],
    ['with a filter that is a string', where('a'), '/where/0 invalid_type'],
    [
      'with a filter on a trait',
      where({ trait: 'a', op: 'exists' }),
      '/where/0/trait unknown_field',
      '/where/0/property required',
    ],
    ['with a filter without a value', where({ property: 'a', op: '<' }), '/where/0/value required'],
    ['with an audience referred to by name', { audience: 'VIPs' }, '/audience invalid_format'],
    [
      'with the id of a computed trait as `audience`',
      { audience: `trt_0${'a'.repeat(25)}` },
      '/audience invalid_format',
    ],
    [
      'with a value for an audience',
      { audience: audienceId('a'), value: true },
      '/value unknown_field',
    ],
    ['with an empty key', { computedTrait: '', op: 'exists' }, '/computedTrait too_short'],
  ])('%s', ([_what, condition, ...errors]) => {
    expect(errorsOf(condition)).toEqual(errors)
  })

  test('with a hint for each error, which suggests a similar field if there is one', () => {
    const validated = validateCondition({ and: [{ trait: 'plan', op: 'equals', valeu: 'pro' }] })
    expect(validated).toEqual({
      errors: [
        {
          pointer: '/and/0/valeu',
          code: 'unknown_field',
          message: 'Unknown field.',
          hint: 'Did you mean value?',
        },
        {
          pointer: '/and/0/value',
          code: 'required',
          message: 'value is missing.',
          hint: expect.stringContaining('a string, number'),
        },
      ],
    })
  })

  test('with a short list of errors, however large it is', () => {
    expect(errorsOf({ and: times(100_000, 7) })).toHaveLength(51)
  })
})

test('any JSON value is a valid condition or has errors', () => {
  const key = fc.constantFrom('and', 'or', 'not', 'trait', 'event', 'type', 'op', 'value', 'where')
  const leaf = fc.oneof(fc.constantFrom('equals', 'exists', 'page', 'a.b'), fc.jsonValue())
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof({ maxDepth: 5 }, leaf, fc.array(tie('tree')), fc.dictionary(key, tie('tree'))),
  }))
  fc.assert(
    fc.property(tree, (input) => {
      const validated = validateCondition(input)
      if ('condition' in validated) expect(validated.condition).toBe(input)
      else expect(validated.errors.length).toBeGreaterThan(0)
    }),
    { numRuns: 1_000 },
  )
})
