import type { Condition } from '@hookline/protocol'
import { expect, test } from 'vitest'
import { definitionOf } from '../../../src/audiences/conditions/clauses.ts'
import { planAudience, planCondition } from '../../../src/audiences/conditions/plan-condition.ts'
import { audienceId, byId, newAudience, newTrait } from './new-computation.ts'

const DAY = 24 * 60 * 60 * 1000
const event = 'Order'
const between = ['2026-01-01', '2026-02-01'] as const
const trait = newTrait('t')
const context = {
  clauses: new Map([
    [definitionOf({ event }), 3],
    [definitionOf({ event, between }), 4],
  ]),
  space: 'default',
  computations: byId(newTrait('t', { id: 'trt_other', space: 'eu' }), trait),
}

test('a plan is the condition with clause numbers, computation ids and times', () => {
  const condition: Condition = {
    and: [
      {
        or: [
          { trait: 'address.city', op: 'equals', value: 'Bonn' },
          { not: { trait: 'plan', op: 'exists' } },
        ],
      },
      { event, count: { op: '<', n: 2 }, within: { days: 2 } },
      { event },
      { event, between },
      { computedTrait: 't', op: '>', value: 3 },
      { computedTrait: 'gone', op: 'exists' },
      { audience: audienceId('a') },
    ],
  }
  expect(planCondition(condition, context)).toEqual({
    and: [
      {
        or: [
          { trait: ['address', 'city'], is: { op: 'equals', value: 'Bonn' } },
          { not: { trait: ['plan'], is: { op: 'exists' } } },
        ],
      },
      { clause: 3, withinMs: 2 * DAY, count: { op: '<', n: 2 } },
      { clause: 3, count: { op: '>=', n: 1 } },
      { clause: 4, between: [Date.UTC(2026, 0), Date.UTC(2026, 1)], count: { op: '>=', n: 1 } },
      { computation: trait.id, is: { op: '>', value: 3 } },
      { computation: '', is: { op: 'exists' } },
      { memberOf: audienceId('a') },
    ],
  })
})

test('the plan of a manual audience is its list', () => {
  const manual = newAudience('m', { condition: null })
  expect(planAudience(manual, context)).toEqual({ listOf: manual.id })
})

test('the plan of any other audience is the plan of its condition', () => {
  const plan = planAudience(newAudience('a'), context)
  expect(plan).toEqual({ trait: ['plan'], is: { op: 'exists' } })
})

test('a clause that was not stored cannot be planned', () => {
  expect(() => planCondition({ event: 'Signup' }, context)).toThrow('before it was stored')
})
