import { type Computation, type Compute, equalJson, type Json } from '@hookline/protocol'
import type {
  Announcement,
  ChangedResult,
  Evaluated,
  LoadedProfile,
} from '../../backend/evaluations.ts'
import type { Fact } from '../../backend/profiles.ts'
import { type ComputedValue, computeValue } from '../conditions/compute-value.ts'
import { evaluate, type ProfileView } from '../conditions/evaluate.ts'
import type { PlannedCondition } from '../conditions/plan-condition.ts'
import { announcementOf } from './announcement.ts'

/** A computation that is ready to be evaluated. */
export interface Plan {
  readonly computation: Computation
  /** The numbers of the clauses that it counts. */
  readonly clauses: readonly number[]
  /** `never`: it is being deleted, and nobody has a value. */
  readonly rule:
    | { readonly condition: PlannedCondition }
    | { readonly compute: Compute; readonly clause: number }
    | 'never'
}

interface Moment {
  /** Milliseconds since the epoch. */
  readonly now: number
  /** The sync that evaluates; `null` in real time. */
  readonly syncId: string | null
}

const NO_FACTS: readonly Fact[] = []

/**
 * Evaluates all computations of a profile's space, in the order of `plans`: one that names another comes after it. Pure,
 * apart from the ids of the events.
 */
export function evaluateProfile(
  profile: LoadedProfile,
  plans: readonly Plan[],
  moment: Moment,
): Evaluated {
  const view = { ...profile, results: new Map(profile.results) }
  const results: ChangedResult[] = []
  const announcements: Announcement[] = []
  let recheckAt = Infinity
  for (const plan of plans) {
    const { id } = plan.computation
    const before = profile.results.get(id)?.value
    const { value, recheckAt: next } = valueOf(plan, view, before !== undefined, moment.now)
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
 * Compares the stored values of a profile with the result of a plan:
 * - `missed`: the value or an announcement differs, and evaluation in real time does not have the profile waiting.
 * - `stale`: one of them differs, and the profile is dirty or due.
 * - `late`: both are right, and `recheckAt` is later than the plan needs it.
 * - `right`: nothing differs.
 */
export function checkProfile(
  profile: LoadedProfile,
  plan: Plan,
  moment: Moment,
): 'missed' | 'stale' | 'late' | 'right' {
  const { results, announcements, recheckAt } = evaluateProfile(profile, [plan], moment)
  const storedRecheck = profile.recheckAt ?? Infinity
  if (results.length > 0 || announcements.length > 0)
    return profile.isDirty || storedRecheck <= moment.now ? 'stale' : 'missed'
  return (recheckAt ?? Infinity) < storedRecheck ? 'late' : 'right'
}

function valueOf({ rule }: Plan, profile: ProfileView, had: boolean, now: number): ComputedValue {
  if (rule === 'never') return { value: undefined, recheckAt: null }
  if ('compute' in rule)
    return computeValue(rule.compute, profile.facts.get(rule.clause) ?? NO_FACTS, now, had)
  const { value, recheckAt } = evaluate(rule.condition, profile, now)
  return { value: value || undefined, recheckAt }
}

/** Announces the value for each userId whose last announcement has another one. */
function announcementsOf(
  { computation }: Plan,
  { userIds, announced }: LoadedProfile,
  value: Json | undefined,
  moment: Moment,
): readonly Announcement[] {
  const told = announced.get(computation.id)
  if (told === undefined && value === undefined) return []
  const gone = computation.kind === 'audience' ? false : null
  const wanted = value ?? gone
  return userIds.flatMap((userId) => {
    const last = told?.get(userId)
    const known = last === undefined ? gone : last.value
    if (equalJson(known, wanted)) return []
    return [announcementOf({ computation, userId, value: wanted, last, ...moment })]
  })
}

function isSame(a: Json | undefined, b: Json | undefined): boolean {
  return a === undefined || b === undefined ? a === b : equalJson(a, b)
}
