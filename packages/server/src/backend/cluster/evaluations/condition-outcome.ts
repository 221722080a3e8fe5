import type { PlannedCondition } from '../../evaluations.ts'

/** A condition that looks at the profile itself. */
export type PlannedClause = Exclude<
  PlannedCondition,
  { readonly and: unknown } | { readonly or: unknown } | { readonly not: unknown }
>

/** What a condition says of a profile. */
export interface Outcome {
  readonly holds: boolean
  /** When a clause that matters next changes by time alone, in milliseconds since the epoch; `Infinity`: never. */
  readonly next: number
}

/** The outcome of a condition, from the outcomes of its clauses. */
export function outcomeOf(
  condition: PlannedCondition,
  clauseOutcome: (clause: PlannedClause) => Outcome,
): Outcome {
  const each = (inner: PlannedCondition): Outcome => outcomeOf(inner, clauseOutcome)
  if ('and' in condition) return joined(condition.and.map(each), true)
  if ('or' in condition) return joined(condition.or.map(each), false)
  if ('not' in condition) {
    const { holds, next } = each(condition.not)
    return { holds: !holds, next }
  }
  return clauseOutcome(condition)
}

/**
 * The whole is `neutral` where all parts are. A part that is not, and never changes by time, decides alone: then the whole
 * never changes either, whatever the others do. Otherwise the whole may change with the first of them.
 */
function joined(parts: readonly Outcome[], neutral: boolean): Outcome {
  const isNeutral = parts.every(({ holds }) => holds === neutral)
  const isDecided = parts.some(({ holds, next }) => holds !== neutral && next === Infinity)
  return {
    holds: isNeutral ? neutral : !neutral,
    next: isDecided ? Infinity : Math.min(...parts.map(({ next }) => next)),
  }
}

/** The clauses of a condition. */
export function clausesIn(condition: PlannedCondition): readonly PlannedClause[] {
  if ('and' in condition) return condition.and.flatMap(clausesIn)
  if ('or' in condition) return condition.or.flatMap(clausesIn)
  if ('not' in condition) return clausesIn(condition.not)
  return [condition]
}
