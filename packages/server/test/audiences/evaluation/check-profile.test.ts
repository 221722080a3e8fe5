import { expect, test } from 'vitest'
import {
  checkProfile,
  type EvaluationPlan,
} from '../../../src/audiences/evaluation/evaluate-profile.ts'
import type { LoadedProfile } from '../../../src/backend/evaluations.ts'
import { NOON } from '@hookline/testing/records/accepted-event'
import { newAudience } from '@hookline/testing/records/catalog-records'
import { factsAt } from '../conditions/profile-view.ts'

const HOUR_MS = 60 * 60 * 1000

/** Users who made a call in the last hour. */
const RECENT: EvaluationPlan = {
  computation: newAudience(),
  clauses: [1],
  rule: { condition: { clause: 1, withinMs: HOUR_MS, count: { op: '>=', n: 1 } } },
}
const COUNTED: EvaluationPlan = {
  ...RECENT,
  rule: { compute: { fn: 'count', event: 'Order' }, clause: 1 },
}
const GONE: EvaluationPlan = { ...RECENT, clauses: [], rule: 'never' }

const valueOf = (value: true | number) => new Map([['aud_a', { value, since: NOON - 1 }]])
const announcedTo = (...users: readonly string[]): LoadedProfile['announced'] =>
  new Map([
    ['aud_a', new Map(users.map((user) => [user, { value: true, number: 1, at: NOON - 1 }]))],
  ])

/** An announced member, evaluated again when the call leaves the window. */
const MEMBER: LoadedProfile = {
  profileId: 1,
  space: 'default',
  version: 1,
  isDirty: false,
  recheckAt: NOON - 5 + HOUR_MS,
  userIds: ['u1'],
  traits: {},
  facts: new Map([[1, factsAt(NOON - 5)]]),
  results: valueOf(true),
  announced: announcedTo('u1'),
  manual: new Set(),
}
const NOBODY: LoadedProfile = {
  ...MEMBER,
  recheckAt: null,
  facts: new Map(),
  results: new Map(),
  announced: new Map(),
}

test.for<[what: string, LoadedProfile, EvaluationPlan, string]>([
  ['a member', MEMBER, RECENT, 'right'],
  ['a non-member', NOBODY, RECENT, 'right'],
  ['a user who should have entered', { ...MEMBER, results: new Map() }, RECENT, 'missed'],
  ['a member who should have left', { ...MEMBER, facts: new Map() }, RECENT, 'missed'],
  [
    'a member waiting for evaluation',
    { ...MEMBER, facts: new Map(), isDirty: true },
    RECENT,
    'stale',
  ],
  ['a member who is due', { ...MEMBER, facts: new Map(), recheckAt: NOON }, RECENT, 'stale'],
  [
    'a member who is due soon',
    { ...MEMBER, facts: new Map(), recheckAt: NOON + 1 },
    RECENT,
    'missed',
  ],
  ['a member with an unannounced userId', { ...MEMBER, userIds: ['u1', 'u2'] }, RECENT, 'missed'],
  ['a member without a userId', { ...MEMBER, userIds: [], announced: new Map() }, RECENT, 'right'],
  [
    'a member whose recheck is too late',
    { ...MEMBER, recheckAt: NOON - 4 + HOUR_MS },
    RECENT,
    'late',
  ],
  ['a member without a recheck', { ...MEMBER, recheckAt: null }, RECENT, 'late'],
  [
    'a member whose recheck is early',
    { ...MEMBER, recheckAt: NOON - 6 + HOUR_MS },
    RECENT,
    'right',
  ],
  ['a user with another value', { ...MEMBER, results: valueOf(7) }, COUNTED, 'missed'],
  ['a member of a deleted audience', MEMBER, GONE, 'missed'],
  ['a non-member of a deleted audience', NOBODY, GONE, 'right'],
])('the check of %s has the right result', ([, profile, plan, expected]) => {
  expect(checkProfile(profile, plan, { now: NOON, syncId: 'syn_a' })).toBe(expected)
})
