import { type Computation, type Compute, equalJson, type Json, LIMITS } from '@hookline/protocol'
import type {
  Announcement,
  ChangedResult,
  EvaluatedProfile,
  LoadedProfile,
} from '../../backend/evaluations.ts'
import type { Fact } from '../../backend/profiles.ts'
import { type ComputedValue, computeValue } from '../conditions/compute-value.ts'
import { evaluate, type ProfileView } from '../conditions/evaluate.ts'
import type { PlannedCondition } from '../conditions/plan-condition.ts'
import { announcementOf } from './announcement.ts'

/** A computation that can be evaluated. */
export interface EvaluationPlan {
  readonly computation: Computation
  /** Numbers of the counted clauses. */
  readonly clauses: readonly number[]
  /** `never`: it is being deleted, so no user has a value. */
  readonly rule:
    | { readonly condition: PlannedCondition }
    | { readonly compute: Compute; readonly clause: number }
    | 'never'
}

interface Moment {
  readonly now: number
  /** `null` in real time. */
  readonly syncId: string | null
}

const NO_FACTS: readonly Fact[] = []

/** Evaluates all computations of a profile's space. `plans`: dependencies first. Pure, apart from event ids. */
export function evaluateProfile(
  profile: LoadedProfile,
  plans: readonly EvaluationPlan[],
  moment: Moment,
): EvaluatedProfile {
  const view = { ...profile, results: new Map(profile.results) }
  const results: ChangedResult[] = []
  const announcements: Announcement[] = []
  let recheckAt = Infinity
  for (const plan of plans) {
    const { id } = plan.computation
    const before = profile.results.get(id)?.value
    const { value, recheckAt: next } = valueOf(plan.rule, view, before !== undefined, moment.now)
    if (next !== null && next < recheckAt) recheckAt = next
    if (!isSame(before, value)) {
      results.push({ computationId: id, value, since: moment.now })
      if (value === undefined) view.results.delete(id)
      else view.results.set(id, { value, since: moment.now })
    }
    announcements.push(...announcementsOf(plan, profile, value, moment))
  }
  const { profileId, version } = profile
  return {
    profileId,
    version,
    results,
    announcements,
    recheckAt: recheckAt === Infinity ? null : recheckAt,
  }
}

/**
 * Compares a stored profile with the result of a plan. `missed`: a value or announcement is wrong, and real-time evaluation will
 * not correct it. `stale`: wrong, but dirty or due. `late`: correct, but `recheckAt` is too late. `right`: correct.
 */
export function checkProfile(
  profile: LoadedProfile,
  plan: EvaluationPlan,
  moment: Moment,
): 'missed' | 'stale' | 'late' | 'right' {
  const { results, announcements, recheckAt } = evaluateProfile(profile, [plan], moment)
  const storedRecheck = profile.recheckAt ?? Infinity
  if (results.length > 0 || announcements.length > 0)
    return profile.isDirty || storedRecheck <= moment.now ? 'stale' : 'missed'
  return (recheckAt ?? Infinity) < storedRecheck ? 'late' : 'right'
}

/** @param had whether the profile already has a value */
export function valueOf(
  rule: EvaluationPlan['rule'],
  profile: ProfileView,
  had: boolean,
  now: number,
): ComputedValue {
  if (rule === 'never') return { value: undefined, recheckAt: null }
  if ('compute' in rule) {
    const facts = profile.facts.get(rule.clause) ?? NO_FACTS
    return computeValue(rule.compute, facts.slice(0, LIMITS.factsPerComputedTrait), now, had)
  }
  const { value, recheckAt } = evaluate(rule.condition, profile, now)
  return { value: value || undefined, recheckAt }
}

/** Announces the value for each userId whose last announcement differs. */
function announcementsOf(
  { computation }: EvaluationPlan,
  { userIds, announced }: LoadedProfile,
  value: Json | undefined,
  moment: Moment,
): readonly Announcement[] {
  const announcedTo = announced.get(computation.id)
  if (announcedTo === undefined && value === undefined) return []
  const noValue = computation.kind === 'audience' ? false : null
  const current = value ?? noValue
  return userIds.flatMap((userId) => {
    const last = announcedTo?.get(userId)
    if (equalJson(last === undefined ? noValue : last.value, current)) return []
    return [announcementOf({ computation, userId, value: current, last, ...moment })]
  })
}

function isSame(a: Json | undefined, b: Json | undefined): boolean {
  return a === undefined || b === undefined ? a === b : equalJson(a, b)
}
