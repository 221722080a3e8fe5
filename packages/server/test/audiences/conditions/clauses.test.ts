import type { Condition, EventClause, PropertyFilter } from '@hookline/protocol'
import { describe, expect, test } from 'vitest'
import {
  clauseOfCompute,
  clauseOfEvents,
  clausesOf,
  definitionOf,
  neededClauses,
  parseDefinition,
} from '../../../src/audiences/conditions/clauses.ts'
import { newAudience, newTrait } from './new-computation.ts'
import { mergedRetention } from '../../../src/backend/facts.ts'

const DAY = 24 * 60 * 60 * 1000
const dear: PropertyFilter = { property: 'revenue', op: '>', value: 50 }
const vip: PropertyFilter = { op: 'equals', value: { b: 1, a: 2 }, property: 'tier' }
const orders: EventClause = { event: 'Order Completed', where: [dear, vip] }

describe('two clauses have the same definition', () => {
  test.for<[what: string, EventClause]>([
    ['if only their sliding windows differ', { ...orders, within: { days: 3 } }],
    ['if only their counts differ', { ...orders, count: { op: '<', n: 7 } }],
    ['if only the order of filters differs', { ...orders, where: [vip, dear] }],
    ['if a filter is repeated', { ...orders, where: [dear, vip, dear] }],
    [
      'if only the order of fields differs',
      {
        where: [
          { value: 50, op: '>', property: 'revenue' },
          { ...vip, value: { a: 2, b: 1 } },
        ],
        event: 'Order Completed',
      },
    ],
  ])('%s', ([_what, clause]) => {
    expect(definitionOf(clause)).toBe(definitionOf(orders))
  })

  test('if they write the same fixed window differently', () => {
    const definition = definitionOf({ ...orders, between: ['2026-01-01', '2026-02-01'] })
    const other = {
      ...orders,
      between: ['2026-01-01T01:00:00+01:00', '2026-02-01T00:00Z'],
    } as const
    expect(definitionOf(other)).toBe(definition)
    expect(parseDefinition(definition).between).toEqual([Date.UTC(2026, 0), Date.UTC(2026, 1)])
  })
})

describe('two clauses have different definitions', () => {
  test.for<[what: string, Parameters<typeof definitionOf>[0]]>([
    ['for different events', { ...orders, event: 'Order completed' }],
    ['if one is for an event and the other for a type', { type: 'page', where: orders.where! }],
    ['for different filters', { ...orders, where: [dear] }],
    ['for lists in another order', { ...orders, where: [dear, { ...vip, value: [1, 2] }] }],
    ['if only one has a fixed window', { ...orders, between: ['2026-01-01', '2026-02-01'] }],
    ['if only one has a property', { ...orders, property: 'revenue' }],
  ])('%s', ([_what, clause]) => {
    expect(definitionOf(clause)).not.toBe(definitionOf(orders))
  })

  test('if one contains the other as text', () => {
    expect(definitionOf({ type: 'page', name: 'x' })).not.toBe(
      definitionOf({ event: '{"name":"x"}' }),
    )
  })
})

test('a definition can be read back', () => {
  const { where, ...rest } = parseDefinition(definitionOf({ ...orders, property: 'a.b' }))
  expect(rest).toEqual({ event: 'Order Completed', property: 'a.b' })
  expect(where).toHaveLength(2)
  expect(where).toEqual(expect.arrayContaining([dear, vip]))
})

describe('facts are kept', () => {
  test.for<[what: string, Partial<EventClause>, maxAgeMs: number | null, maxCount: number]>([
    ['forever without a window', {}, null, 100],
    ['for the window', { within: { hours: 36 } }, 1.5 * DAY, 100],
    ['forever in a fixed window', { between: ['2026-01-01', '2026-02-01'] }, null, 100],
    ['up to one more than the count', { count: { op: '>', n: 500 } }, null, 501],
    ['up to 100 for a lower count', { count: { op: '>', n: 99 } }, null, 100],
    ['up to 101 for a count of 100', { count: { op: '==', n: 100 } }, null, 101],
  ])('%s', ([_what, change, maxAgeMs, maxCount]) => {
    expect(clauseOfEvents({ ...orders, ...change }).retention).toEqual({ maxAgeMs, maxCount })
  })

  test('up to 10,000 for a computed trait', () => {
    const compute = { fn: 'sum', event: 'x', property: 'y', within: { days: 1 } } as const
    expect(clauseOfCompute(compute).retention).toEqual({ maxAgeMs: DAY, maxCount: 10_000 })
  })

  test('as long as the most demanding clause needs them', () => {
    const [short, long] = [
      { maxAgeMs: 1, maxCount: 200 },
      { maxAgeMs: 2, maxCount: 100 },
    ]
    expect(mergedRetention(short, long)).toEqual({ maxAgeMs: 2, maxCount: 200 })
    expect(mergedRetention(long, { maxAgeMs: null, maxCount: 1 })).toEqual({
      maxAgeMs: null,
      maxCount: 100,
    })
  })
})

test('each definition is listed once, with the needs of all its computations', () => {
  const event = 'Order Completed'
  const condition: Condition = {
    or: [
      { event, within: { days: 1 } },
      {
        not: {
          and: [
            { event, within: { days: 9 }, count: { op: '<', n: 300 } },
            { trait: 'a', op: 'exists' },
          ],
        },
      },
      { type: 'page' },
    ],
  }
  const audience = newAudience('a', { condition })
  expect(clausesOf(audience)).toHaveLength(3)
  const computations = [
    audience,
    newAudience('m', { condition: null }),
    newTrait('t', { compute: { fn: 'count', event, within: { days: 2 } } }),
  ]
  expect(neededClauses(computations)).toEqual(
    new Map([
      [definitionOf({ event }), { maxAgeMs: 9 * DAY, maxCount: 10_000 }],
      [definitionOf({ type: 'page' }), { maxAgeMs: null, maxCount: 100 }],
    ]),
  )
})
