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

/** A condition whose clauses name their facts. */
export type PlannedCondition =
  | { readonly and: readonly PlannedCondition[] }
  | { readonly or: readonly PlannedCondition[] }
  | { readonly not: PlannedCondition }
  | { readonly trait: readonly string[]; readonly is: Comparison }
  /** The value of the computed trait with this id. */
  | { readonly computation: string; readonly is: Comparison }
  /** Is a member of the audience with this id. */
  | { readonly memberOf: string }
  /** The list of the manual audience with this id has one of the userIds. */
  | { readonly listOf: string }
  | PlannedCount

/** Counts the facts of a clause in a window. */
export interface PlannedCount extends WindowMs {
  readonly clause: number
  readonly count: { readonly op: CountOperator; readonly n: number }
}

/** What a plan is made with. */
export interface PlanContext {
  /** The numbers of the clauses, by definition. */
  readonly clauses: ReadonlyMap<string, number>
  readonly space: string
  readonly computations: Computations
}

/** The plan of an audience: of its condition, or of its list. */
export function planAudience(
  { id, condition }: Pick<Audience, 'id' | 'condition'>,
  context: PlanContext,
): PlannedCondition {
  return condition === null ? { listOf: id } : planCondition(condition, context)
}

/**
 * The plan of a valid condition: the same tree, with numbers of clauses and ids of computations. Throws if the number of a
 * clause is not known. A reference to a computation that is gone has no value.
 */
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
  if (number === undefined) throw new Error('A clause was planned before it was put.')
  const count: PlannedCount['count'] = clause.count ?? { op: '>=', n: 1 }
  return { clause: number, ...windowMs(clause), count }
}

function comparisonOf({ op, value }: Comparison): Comparison {
  return value === undefined ? { op } : { op, value }
}
