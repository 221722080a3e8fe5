import type { Audience, Compute, Condition } from '@hookline/protocol'
import type { FactClause } from '../backend/facts.ts'
import type { PreviewQuery } from '../backend/memberships.ts'
import { clauseOfCompute, clausesOf } from './conditions/clauses-of.ts'
import { parseDefinition } from './conditions/fact-definition.ts'
import { planCondition } from './conditions/plan-condition.ts'
import type { Computations } from './conditions/references.ts'
import { isFilled } from './evaluation/plans.ts'
import { windowMs } from './conditions/window.ts'

/** What is previewed: the condition of an audience, or a computed trait. */
export type Previewed = { readonly space: string } & (
  { readonly condition: Condition } | { readonly compute: Compute }
)

interface Known {
  readonly clauses: readonly FactClause[]
  readonly computations: Computations
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** The query of a preview. Clauses that have no facts yet get negative numbers, and are looked for in the archive. */
export function previewQuery(
  previewed: Previewed,
  { clauses, computations, now }: Known,
): PreviewQuery {
  const numbers = new Map(
    clauses.filter(isFilled).map(({ definition, number }) => [definition, number]),
  )
  const selections = new Map<number, ReturnType<typeof parseDefinition>>()
  const numberOf = (definition: string): number => {
    const known = numbers.get(definition)
    if (known !== undefined) return known
    const number = -1 - selections.size
    selections.set(number, parseDefinition(definition))
    numbers.set(definition, number)
    return number
  }
  const { space } = previewed
  if ('compute' in previewed) {
    const clause = numberOf(clauseOfCompute(previewed.compute).definition)
    const count = { op: '>=', n: 1 } as const
    const condition = { clause, ...windowMs(previewed.compute), count }
    return { space, condition, selections, sampledClause: clause, now }
  }
  const { condition } = previewed
  for (const { definition } of clausesOf({ kind: 'audience', condition } as Audience))
    numberOf(definition)
  const planned = planCondition(condition, { clauses: numbers, space, computations })
  return { space, condition: planned, selections, now }
}
