import { type Clause, type Condition, type Json, valueAt } from '@hookline/protocol'
import { countInWindow, evaluate, type ProfileView } from './evaluate.ts'
import type { PlannedCondition, PlannedCount } from './plan-condition.ts'

/** A condition or a part of one, with the verdict for one user. */
export interface ExplainedPart {
  /** A JSON Pointer into the condition. */
  readonly pointer: string
  readonly kind: 'and' | 'or' | 'not' | 'clause'
  readonly holds: boolean
  /** When time alone can next change the verdict, in milliseconds since the epoch; `null`: never. */
  readonly changesAt: number | null
  readonly clause?: Clause | ListClause
  readonly actual?: Evidence
}

/** The list of a manual audience. */
interface ListClause {
  readonly listOf: string
}

/** The evidence for a clause: a value (`null`: missing), a number of events, or membership. */
type Evidence =
  | { readonly value: Json }
  /** `orMore`: older matching events may no longer be stored. */
  | { readonly count: number; readonly orMore: boolean }
  | { readonly member: boolean }

export interface ExplainContext {
  readonly profile: ProfileView
  readonly now: number
  /** `retention.maxCount` by clause number. */
  readonly maxCounts: ReadonlyMap<number, number>
}

/** Explains the verdict on the whole condition, then on its parts. `condition` is `null` for a manual audience. */
export function explain(
  condition: Condition | null,
  planned: PlannedCondition,
  context: ExplainContext,
  pointer = '',
): ExplainedPart[] {
  const { value: holds, recheckAt: changesAt } = evaluate(planned, context.profile, context.now)
  const part = { pointer, holds, changesAt }
  const withParts = (
    kind: 'and' | 'or',
    conditions: readonly Condition[],
    plans: readonly PlannedCondition[],
  ): ExplainedPart[] => {
    const parts = conditions.flatMap((each, index) =>
      explain(each, plans[index]!, context, `${pointer}/${kind}/${index}`),
    )
    return [{ ...part, kind }, ...parts]
  }
  if (condition !== null) {
    if ('and' in condition && 'and' in planned) return withParts('and', condition.and, planned.and)
    if ('or' in condition && 'or' in planned) return withParts('or', condition.or, planned.or)
    if ('not' in condition && 'not' in planned) {
      const negated = explain(condition.not, planned.not, context, `${pointer}/not`)
      return [{ ...part, kind: 'not' }, ...negated]
    }
  }
  const clause = (condition ?? planned) as Clause | ListClause
  return [{ ...part, kind: 'clause', clause, actual: evidenceOf(planned, holds, context) }]
}

function evidenceOf(planned: PlannedCondition, holds: boolean, context: ExplainContext): Evidence {
  const { traits, results } = context.profile
  if ('trait' in planned) return { value: valueAt(traits, planned.trait) ?? null }
  if ('computation' in planned) return { value: results.get(planned.computation)?.value ?? null }
  return 'clause' in planned ? countEvidence(planned, context) : { member: holds }
}

function countEvidence(
  planned: PlannedCount,
  { profile, now, maxCounts }: ExplainContext,
): Evidence {
  const facts = profile.facts.get(planned.clause) ?? []
  const count = countInWindow(planned, facts, now, Infinity)
  // If a stored fact is outside the window, so are all older ones.
  const orMore = count === facts.length && count >= (maxCounts.get(planned.clause) ?? Infinity)
  return { count, orMore }
}
