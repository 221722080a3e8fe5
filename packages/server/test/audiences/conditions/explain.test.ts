import type { Condition, Json } from '@hookline/protocol'
import { expect, test } from 'vitest'
import { neededClauses } from '../../../src/audiences/conditions/clauses.ts'
import { explain } from '../../../src/audiences/conditions/explain.ts'
import { planAudience } from '../../../src/audiences/conditions/plan-condition.ts'
import { NOON } from '@hookline/testing/records/accepted-event'
import { audienceId, byId, newAudience, newTrait } from './new-computation.ts'
import { factsAt, profileView } from './profile-view.ts'

const HOUR = 60 * 60 * 1000
const trait = newTrait('t')

const profile = profileView({
  traits: { plan: 'pro', since: '2026-01-14T12:00:00.000Z' },
  facts: new Map([
    [0, factsAt(NOON - 3 * HOUR, NOON - HOUR, NOON)],
    [1, factsAt(...Array.from({ length: 100 }, (_, index) => NOON - index))],
  ]),
  results: new Map<string, { value: Json }>([
    [trait.id, { value: 4 }],
    [audienceId('a'), { value: true }],
  ]),
  manual: new Set([audienceId('m')]),
})

function explained(condition: Condition | null, id = audienceId('m')): unknown {
  const audience = newAudience('a', { id, condition })
  const needed = [...neededClauses([audience])]
  const planned = planAudience(audience, {
    clauses: new Map(needed.map(([definition], index) => [definition, index])),
    space: 'default',
    computations: byId(trait),
  })
  const maxCounts = new Map(needed.map(([, retention], index) => [index, retention.maxCount]))
  const explanation = explain(condition, planned, { profile, now: NOON, maxCounts })
  expect(JSON.parse(JSON.stringify(explanation))).toEqual(explanation)
  return explanation
}

test('an explanation lists each part of the condition with its verdict, actual value and time of change', () => {
  const plan = { trait: 'plan', op: 'equals', value: 'free' } as const
  const order = { event: 'Order', within: { hours: 2 } } as const
  const page = { type: 'page', count: { op: '>', n: 3 } } as const
  const clause = { kind: 'clause', changesAt: null }
  expect(explained({ and: [{ not: plan }, { or: [order, page] }] })).toEqual([
    { pointer: '', kind: 'and', holds: true, changesAt: null },
    { pointer: '/and/0', kind: 'not', holds: true, changesAt: null },
    { ...clause, pointer: '/and/0/not', holds: false, clause: plan, actual: { value: 'pro' } },
    { pointer: '/and/1', kind: 'or', holds: true, changesAt: null },
    {
      ...clause,
      pointer: '/and/1/or/0',
      holds: true,
      changesAt: NOON + 2 * HOUR,
      clause: order,
      actual: { count: 2, orMore: false },
    },
    {
      ...clause,
      pointer: '/and/1/or/1',
      holds: true,
      clause: page,
      actual: { count: 100, orMore: true },
    },
  ])
})

test.for<[what: string, condition: Condition | null, explanation: object]>([
  [
    'a missing trait',
    { trait: 'x', op: 'not_exists' },
    { holds: true, actual: { value: null }, changesAt: null },
  ],
  [
    'a date',
    { trait: 'since', op: 'within_last_days', value: 2 },
    {
      holds: true,
      actual: { value: '2026-01-14T12:00:00.000Z' },
      changesAt: NOON + 24 * HOUR,
    },
  ],
  [
    'a computed trait',
    { computedTrait: 't', op: '<', value: 3 },
    { holds: false, actual: { value: 4 } },
  ],
  ['a deleted computed trait', { computedTrait: 'z', op: 'exists' }, { actual: { value: null } }],
  ['an audience', { audience: audienceId('a') }, { holds: true, actual: { member: true } }],
  ['another audience', { audience: audienceId('b') }, { holds: false, actual: { member: false } }],
  ['a list', null, { holds: true, clause: { listOf: audienceId('m') }, actual: { member: true } }],
])('the explanation of %s shows the actual value', ([_what, condition, explanation]) => {
  expect(explained(condition)).toMatchObject([explanation])
})

test('a window with only some of the kept events reports an exact count', () => {
  const only = newAudience('a', { condition: { event: 'Order', within: { seconds: 1 } } })
  const planned = { clause: 1, withinMs: 50, count: { op: '>=', n: 1 } } as const
  const explanation = explain(only.condition, planned, {
    profile,
    now: NOON,
    maxCounts: new Map([[1, 100]]),
  })
  expect(explanation).toMatchObject([{ actual: { count: 50, orMore: false } }])
})
