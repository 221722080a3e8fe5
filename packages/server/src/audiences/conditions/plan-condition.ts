import {
  type Audience,
  type Clause,
  type Comparison,
  type Condition,
  type CountOperator,
  pathOf,
} from '@hookline/protocol'
import { clauseOfEvents } from './clauses.ts'
import { type Computations, referenceOf } from './references.ts'
import { type WindowMs, windowMs } from './window.ts'

/** A condition with clause numbers and computation ids. */
export type PlannedCondition =
  | { readonly and: readonly PlannedCondition[] }
  | { readonly or: readonly PlannedCondition[] }
  | { readonly not: PlannedCondition }
  | { readonly trait: readonly string[]; readonly is: Comparison }
  /** The value of a computed trait. */
  | { readonly computation: string; readonly is: Comparison }
  /** Membership in an audience. */
  | { readonly memberOf: string }
  /** Whether the list of a manual audience contains one of the profile's userIds. */
  | { readonly listOf: string }
  | PlannedCount

export interface PlannedCount extends WindowMs {
  readonly clause: number
  readonly count: { readonly op: CountOperator; readonly n: number }
}

export interface PlanContext {
  /** Clause numbers by definition. */
  readonly clauses: ReadonlyMap<string, number>
  readonly space: string
  readonly computations: Computations
}

export function planAudience(
  { id, condition }: Pick<Audience, 'id' | 'condition'>,
  context: PlanContext,
): PlannedCondition {
  return condition === null ? { listOf: id } : planCondition(condition, context)
}

/** Plans a valid condition. Throws if a clause has no number. A reference to a deleted computation has no value. */
export function planCondition(condition: Condition, context: PlanContext): PlannedCondition {
  if ('and' in condition) return { and: condition.and.map((each) => planCondition(each, context)) }
  if ('or' in condition) return { or: condition.or.map((each) => planCondition(each, context)) }
  if ('not' in condition) return { not: planCondition(condition.not, context) }
  return planClause(condition, context)
}

function planClause(clause: Clause, context: PlanContext): PlannedCondition {
  if ('trait' in clause) return { trait: pathOf(clause.trait), is: comparisonOf(clause) }
  if ('audience' in clause) return { memberOf: clause.audience }
  if ('computedTrait' in clause) {
    const target = referenceOf(clause, context.space, context.computations)
    return { computation: target?.id ?? '', is: comparisonOf(clause) }
  }
  const { definition } = clauseOfEvents(clause)
  const number = context.clauses.get(definition)
  if (number === undefined) throw new Error('A clause was planned before it was stored.')
  const count: PlannedCount['count'] = clause.count ?? { op: '>=', n: 1 }
  return { clause: number, ...windowMs(clause), count }
}

function comparisonOf({ op, value }: Comparison): Comparison {
  return value === undefined ? { op } : { op, value }
}
