import {
  type Clause,
  type Condition,
  formatTimestamp,
  type Json,
  valueAt,
} from '@hookline/protocol'
import { countInWindow, evaluate, type ProfileView } from './evaluate.ts'
import type { PlannedCondition, PlannedCount } from './plan-condition.ts'

/** A condition or a part of it, with its verdict for one user. Plain JSON. */
export type Explanation = ExplainedPart &
  (
    | { readonly and: readonly Explanation[] }
    | { readonly or: readonly Explanation[] }
    | { readonly not: Explanation }
    | { readonly clause: Clause | ListClause; readonly saw: Seen }
  )

interface ExplainedPart {
  readonly holds: boolean
  /** When the verdict can next change by time alone; `null`: never. */
  readonly changesAt: string | null
}

/** Stands for the list of a manual audience. */
interface ListClause {
  readonly listOf: string
}

/** What a clause saw: a value, where `null` is a missing one; a number of events; or whether the user is a member. */
type Seen =
  | { readonly value: Json }
  /** With `orMore`, older events that count are no longer kept. */
  | { readonly count: number; readonly orMore: boolean }
  | { readonly member: boolean }

export interface ExplainContext {
  readonly profile: ProfileView
  readonly now: number
  /** `keeping.most` of each clause, by its number. */
  readonly most: ReadonlyMap<number, number>
}

/** Why a user belongs to an audience or does not. `planned` is the plan of `condition`; `null` for a manual audience. */
export function explain(
  condition: Condition | null,
  planned: PlannedCondition,
  context: ExplainContext,
): Explanation {
  const { value, recheckAt } = evaluate(planned, context.profile, context.now)
  const part = { holds: value, changesAt: recheckAt === null ? null : formatTimestamp(recheckAt) }
  const each = (conditions: readonly Condition[], plans: readonly PlannedCondition[]) =>
    conditions.map((one, index) => explain(one, plans[index]!, context))
  if (condition !== null) {
    if ('and' in condition && 'and' in planned) {
      return { ...part, and: each(condition.and, planned.and) }
    }
    if ('or' in condition && 'or' in planned) return { ...part, or: each(condition.or, planned.or) }
    if ('not' in condition && 'not' in planned) {
      return { ...part, not: explain(condition.not, planned.not, context) }
    }
  }
  const clause = (condition ?? planned) as Clause | ListClause
  return { ...part, clause, saw: seenBy(planned, value, context) }
}

function seenBy(planned: PlannedCondition, holds: boolean, context: ExplainContext): Seen {
  const { traits, results } = context.profile
  if ('trait' in planned) return { value: valueAt(traits, planned.trait) ?? null }
  if ('computation' in planned) return { value: results.get(planned.computation)?.value ?? null }
  return 'clause' in planned ? countSeen(planned, context) : { member: holds }
}

function countSeen(planned: PlannedCount, { profile, now, most }: ExplainContext): Seen {
  const facts = profile.facts.get(planned.clause) ?? []
  const count = countInWindow(planned, facts, now, Infinity)
  // If a fact that is kept is too old, so are those that are not kept.
  const orMore = count === facts.length && count >= (most.get(planned.clause) ?? Infinity)
  return { count, orMore }
}
