import type { Condition } from '@hookline/protocol'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { neededClauses } from '../../../src/audiences/conditions/clauses.ts'
import { computeValue } from '../../../src/audiences/conditions/compute-value.ts'
import { evaluate, type ConditionVerdict } from '../../../src/audiences/conditions/evaluate.ts'
import { explain } from '../../../src/audiences/conditions/explain.ts'
import { planCondition } from '../../../src/audiences/conditions/plan-condition.ts'
import { validateCompute } from '../../../src/audiences/conditions/validate-compute.ts'
import { validateCondition } from '../../../src/audiences/conditions/validate-condition.ts'
import { keptFacts } from './kept-facts.ts'
import { type NaiveUser, naiveValue, naiveVerdict } from './naive-evaluation.ts'
import { byId, newAudience, newTrait } from './new-computation.ts'
import { profileView } from './profile-view.ts'
import {
  momentsOfChange,
  someClause,
  someCompute,
  someCondition,
  someEvents,
  someNow,
  someUser,
} from './random-conditions.ts'

const trait = newTrait('c')

/** The verdict that the service computes, from facts and a plan. */
function verdictOf(condition: Condition, user: NaiveUser, now: number): ConditionVerdict {
  const needed = neededClauses([newAudience('x', { condition })])
  const clauses = new Map([...needed.keys()].map((definition, number) => [definition, number]))
  const planned = planCondition(condition, { clauses, space: 'default', computations: byId(trait) })
  const profile = profileView({
    traits: user.traits,
    facts: keptFacts(needed, user.events, now),
    results: new Map([
      ...Object.values(user.computed).map((value) => [trait.id, { value }] as const),
      ...user.audiences.map((id) => [id, { value: true }] as const),
    ]),
  })
  const verdict = evaluate(planned, profile, now)
  const explanation = explain(condition, planned, { profile, now, maxCounts: new Map() })
  expect(explanation[0]!.holds).toBe(verdict.value)
  return verdict
}

test('a random condition and user get the verdict of the reference', () => {
  const verdicts = [0, 0]
  fc.assert(
    fc.property(someCondition, someUser, someNow, (condition, user, now) => {
      expect(validateCondition(condition)).toEqual({ condition })
      const { value } = verdictOf(condition, user, now)
      expect(value).toBe(naiveVerdict(condition, user, now))
      verdicts[Number(value)]!++
    }),
    { numRuns: 3_000 },
  )
  // Enough of either verdict, or the test proves little.
  expect(Math.min(...verdicts)).toBeGreaterThan(900)
})

test('the verdict of the reference does not change before the recheck', () => {
  let rechecks = 0
  let changes = 0
  fc.assert(
    fc.property(someCondition, someUser, someNow, (condition, user, now) => {
      const { value, recheckAt } = verdictOf(condition, user, now)
      const end = recheckAt ?? Infinity
      expect(end).toBeGreaterThan(now)
      const until = momentsOfChange(user, now).filter((moment) => moment < end)
      expect(until.filter((moment) => naiveVerdict(condition, user, moment) !== value)).toEqual([])
      if (recheckAt === null) return
      rechecks++
      if (naiveVerdict(condition, user, recheckAt) !== value) changes++
    }),
    { numRuns: 3_000 },
  )
  expect(rechecks).toBeGreaterThan(400)
  expect(changes).toBeGreaterThan(200)
})

test('a single clause changes exactly at the time of its recheck', () => {
  let rechecks = 0
  fc.assert(
    fc.property(someClause, someUser, someNow, (condition, user, now) => {
      const { value, recheckAt } = verdictOf(condition, user, now)
      if (recheckAt === null) return
      rechecks++
      expect(naiveVerdict(condition, user, recheckAt)).toBe(!value)
    }),
    { numRuns: 2_000 },
  )
  expect(rechecks).toBeGreaterThan(200)
})

test('rechecks alone catch every change in the reference', () => {
  fc.assert(
    fc.property(someCondition, someUser, someNow, (condition, user, now) => {
      let at = now
      let verdict = verdictOf(condition, user, at)
      for (const moment of momentsOfChange(user, now).toSorted((a, b) => a - b)) {
        while (verdict.recheckAt !== null && verdict.recheckAt <= moment) {
          expect(verdict.recheckAt).toBeGreaterThan(at)
          at = verdict.recheckAt
          verdict = verdictOf(condition, user, at)
        }
        expect(verdict.value).toBe(naiveVerdict(condition, user, moment))
      }
    }),
    { numRuns: 200 },
  )
})

test('a random computed trait has the value of the reference, for any order of facts', () => {
  let values = 0
  fc.assert(
    fc.property(
      someCompute,
      someEvents,
      someNow,
      fc.infiniteStream(fc.nat()),
      (compute, events, now, order) => {
        expect(validateCompute(compute)).toEqual({ compute })
        const inOrder = events.toSorted((a, b) => a.at - b.at)
        const [facts = []] = keptFacts(
          neededClauses([newTrait('t', { compute })]),
          inOrder,
          now,
        ).values()
        const shuffled = facts
          .map((fact) => ({ fact, by: order.next().value }))
          .toSorted((a, b) => a.by - b.by)
          .map(({ fact }) => fact)
        const computed = computeValue(compute, shuffled, now, true)
        expect(computed).toEqual(computeValue(compute, facts, now, true))
        expect(computed.value).toEqual(naiveValue(compute, inOrder, now))
        if (computed.value !== null && computed.value !== 0) values++
        const { recheckAt } = computed
        const user = { events, traits: {}, computed: {}, audiences: [] }
        const until = momentsOfChange(user, now).filter(
          (moment) => moment < (recheckAt ?? Infinity),
        )
        const changed = until.filter(
          (moment) =>
            JSON.stringify(naiveValue(compute, inOrder, moment)) !== JSON.stringify(computed.value),
        )
        expect(changed).toEqual([])
      },
    ),
    { numRuns: 2_000 },
  )
  expect(values).toBeGreaterThan(500)
})
