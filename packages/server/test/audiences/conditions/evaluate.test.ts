import { type CountOperator, formatTimestamp } from '@hookline/protocol'
import { describe, expect, test } from 'vitest'
import { evaluate } from '../../../src/audiences/conditions/evaluate.ts'
import type { PlannedCondition } from '../../../src/audiences/conditions/plan-condition.ts'
import { NOON } from '@hookline/testing/records/accepted-event'
import { factsAt, profileView } from './profile-view.ts'

const HOUR = 60 * 60 * 1000
const DAY = 24 * HOUR
const yes: PlannedCondition = { trait: ['plan'], is: { op: 'equals', value: 'pro' } }
const no: PlannedCondition = { not: yes }

describe('a condition that does not depend on the current time', () => {
  test.for<[what: string, PlannedCondition, value: boolean]>([
    ['on a trait', yes, true],
    ['on a trait in an object', { trait: ['address', 'city'], is: { op: 'exists' } }, true],
    ['on a missing trait', { trait: ['address', 'zip'], is: { op: 'exists' } }, false],
    ['on an inherited name', { trait: ['constructor'], is: { op: 'exists' } }, false],
    ['with an `and`', { and: [yes, yes] }, true],
    ['with an `and` that fails', { and: [yes, no, yes] }, false],
    ['with an `or`', { or: [no, yes] }, true],
    ['with an `or` that fails', { or: [no, no] }, false],
    ['on a computed trait', { computation: 'trt_a', is: { op: '>', value: 3 } }, true],
    ['on a missing computed trait', { computation: 'trt_b', is: { op: 'not_exists' } }, true],
    ['on a member', { memberOf: 'aud_a' }, true],
    ['on a user who is not a member', { memberOf: 'aud_b' }, false],
    ['on a list', { listOf: 'aud_l' }, true],
    ['on another list', { listOf: 'aud_a' }, false],
    ['on all events', { clause: 1, count: { op: '==', n: 3 } }, true],
    ['on no events', { clause: 2, count: { op: '==', n: 0 } }, true],
    ['on a fixed window', { clause: 1, between: [1, 3], count: { op: '==', n: 2 } }, true],
    ['on an earlier window', { clause: 1, between: [0, 1], count: { op: '>=', n: 1 } }, false],
    ['on a later window', { clause: 1, between: [4, 9], count: { op: '>=', n: 1 } }, false],
  ])('%s', ([_what, condition, value]) => {
    const profile = profileView({
      traits: { plan: 'pro', address: { city: 'Bonn' } },
      facts: new Map([[1, factsAt(1, 2, 3)]]),
      results: new Map([
        ['trt_a', { value: 4 }],
        ['aud_a', { value: true }],
      ]),
      manual: new Set(['aud_l']),
    })
    expect(evaluate(condition, profile, NOON)).toEqual({ value, recheckAt: null })
  })
})

describe('in a window of three hours with events 3, 2, 1 and 0 hours old', () => {
  // The oldest has just left the window.
  test.for<[op: CountOperator, n: number, value: boolean, changesInHours: number | null]>([
    ['>=', 0, true, null],
    ['>=', 1, true, 3],
    ['>=', 2, true, 2],
    ['>=', 3, true, 1],
    ['>=', 4, false, null],
    ['>', 0, true, 3],
    ['>', 2, true, 1],
    ['>', 3, false, null],
    ['<', 0, false, null],
    ['<', 1, false, 3],
    ['<', 3, false, 1],
    ['<', 4, true, null],
    ['<=', 0, false, 3],
    ['<=', 2, false, 1],
    ['<=', 3, true, null],
    ['==', 0, false, 3],
    ['==', 2, false, 1],
    ['==', 3, true, 1],
    ['==', 4, false, null],
    ['!=', 0, true, 3],
    ['!=', 2, true, 1],
    ['!=', 3, false, 1],
    ['!=', 4, true, null],
  ])('a count of %s %s is %s (hours until that changes: %s)', ([op, n, value, changesInHours]) => {
    const facts = new Map([[1, factsAt(NOON - 3 * HOUR, NOON - 2 * HOUR, NOON - HOUR, NOON)]])
    const planned = { clause: 1, withinMs: 3 * HOUR, count: { op, n } }
    const recheckAt = changesInHours === null ? null : NOON + changesInHours * HOUR
    expect(evaluate(planned, profileView({ facts }), NOON)).toEqual({ value, recheckAt })
  })
})

describe('events with the same time leave a window together', () => {
  const facts = new Map([[1, factsAt(NOON - 2, NOON - 2, NOON)]])
  const recheck = (op: CountOperator, n: number) =>
    evaluate({ clause: 1, withinMs: 10, count: { op, n } }, profileView({ facts }), NOON).recheckAt

  test('so that the counts in between never occur', () => {
    expect(recheck('==', 2)).toBeNull()
    expect(recheck('!=', 2)).toBeNull()
  })

  test('so that two bounds can be passed at once', () => {
    expect([recheck('>=', 3), recheck('>=', 2)]).toEqual([NOON + 8, NOON + 8])
    expect([recheck('==', 1), recheck('==', 0)]).toEqual([NOON + 8, NOON + 10])
  })
})

test('an event in the future counts immediately, and leaves later', () => {
  const facts = new Map([[1, factsAt(NOON + DAY)]])
  const planned = { clause: 1, withinMs: HOUR, count: { op: '>=', n: 1 } } as const
  const verdict = evaluate(planned, profileView({ facts }), NOON)
  expect(verdict).toEqual({ value: true, recheckAt: NOON + DAY + HOUR })
})

test('the recheck is at the earliest change in any clause', () => {
  const within = (clause: number): PlannedCondition => ({
    clause,
    withinMs: DAY,
    count: { op: '>=', n: 1 },
  })
  const profile = profileView({
    traits: { plan: 'pro', since: formatTimestamp(NOON - 6 * DAY - 20 * HOUR) },
    facts: new Map([
      [1, factsAt(NOON - 2 * HOUR)],
      [2, factsAt(NOON - HOUR)],
    ]),
  })
  const recent: PlannedCondition = { trait: ['since'], is: { op: 'within_last_days', value: 7 } }
  const recheckIn = (condition: PlannedCondition) =>
    evaluate(condition, profile, NOON).recheckAt! - NOON
  expect(recheckIn({ and: [within(2), yes, within(1)] })).toBe(22 * HOUR)
  expect(recheckIn({ or: [no, { not: { and: [yes, within(2)] } }] })).toBe(23 * HOUR)
  expect(recheckIn({ or: [within(1), recent, within(2)] })).toBe(4 * HOUR)
  expect(recheckIn({ and: [within(2), { or: [yes, within(1)] }] })).toBe(23 * HOUR)
})

test('no recheck is needed if a clause that never changes decides', () => {
  const within = { clause: 1, withinMs: DAY, count: { op: '>=', n: 1 } } as const
  const profile = profileView({
    facts: new Map([[1, factsAt(NOON - HOUR)]]),
    traits: { plan: 'pro' },
  })
  const verdict = (condition: PlannedCondition) => evaluate(condition, profile, NOON)
  expect(verdict({ and: [within, no] })).toEqual({ value: false, recheckAt: null })
  expect(verdict({ or: [within, yes] })).toEqual({ value: true, recheckAt: null })
  expect(verdict({ not: { and: [no, within] } })).toEqual({ value: true, recheckAt: null })
})
