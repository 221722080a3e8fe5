import { expect, test } from 'vitest'
import { CONDITIONS } from '../../src/pages/audiences/draft/clause-draft.ts'
import { COMPUTES } from '../../src/pages/audiences/draft/compute-draft.ts'

test.for([
  [{ trait: 'plan', op: 'equals', value: 'pro' }, 'trait plan is “pro”'],
  [{ trait: 'plan', op: 'one_of', value: ['pro', 5] }, 'trait plan is one of “pro”, 5'],
  [
    { event: 'Order Completed', count: { op: '>=', n: 2 }, within: { days: 30 } },
    'Order Completed at least 2 times in the last 30 days',
  ],
  [
    { event: 'Signed Up', within: { days: 1 }, where: [{ property: 'plan', op: 'exists' }] },
    'Signed Up at least once in the last day where plan has a value',
  ],
  [{ type: 'page', name: 'Pricing' }, 'page Pricing at least once'],
  [{ type: 'identify', count: { op: '==', n: 1 } }, 'any identify call exactly 1 time'],
  [{ audience: 'aud_1' }, 'member of VIPs'],
  [{ computedTrait: 'revenue', op: '>=', value: 100 }, 'computed trait revenue is at least 100'],
  [{ trait: 'at', op: 'within_last_days', value: 7 }, 'trait at is in the last 7 days'],
  [
    {
      and: [
        { trait: 'a', op: 'exists' },
        { or: [{ trait: 'b', op: 'exists' }, { not: { trait: 'c', op: 'exists' } }] },
      ],
    },
    'trait a has a value and (trait b has a value or not (trait c has a value))',
  ],
  [{ trait: '', op: '>' }, 'trait … is greater than …'],
] as const)('%j in words', ([condition, words]) => {
  expect(CONDITIONS.describe(CONDITIONS.draftOf(condition), () => 'VIPs')).toBe(words)
})

test.for([
  [
    { fn: 'sum', property: 'revenue', event: 'Order Completed', within: { days: 30 } },
    'sum of revenue in Order Completed in the last 30 days',
  ],
  [{ fn: 'count', type: 'page' }, 'number of events: any page'],
] as const)('%j in words', ([compute, words]) => {
  expect(COMPUTES.describe(COMPUTES.draftOf(compute), () => undefined)).toBe(words)
})
