import type { Clause, Computation } from '@hookline/protocol'
import { clausesIn } from './clauses-in.ts'

/** All audiences and computed traits, by id: as the catalog has them. */
export type Computations = ReadonlyMap<string, Computation>

/** The computation that the clause refers to by id, or by key in the space; `undefined` if it refers to none that is there. */
export function referenceOf(
  clause: Clause,
  space: string,
  computations: Computations,
): Computation | undefined {
  if ('audience' in clause) {
    const found = computations.get(clause.audience)
    return found?.kind === 'audience' ? found : undefined
  }
  if (!('computedTrait' in clause)) return undefined
  for (const each of computations.values()) {
    if (each.kind === 'trait' && each.space === space && each.key === clause.computedTrait)
      return each
  }
  return undefined
}

/** Computations in an order in which each comes after those that its condition refers to: the order of evaluation. */
export function inEvaluationOrder(computations: Computations): readonly Computation[] {
  const ordered = new Set<Computation>()
  const seen = new Set<Computation>()
  const visit = (computation: Computation): void => {
    if (seen.has(computation)) return
    seen.add(computation)
    for (const each of dependenciesOf(computation, computations)) visit(each)
    ordered.add(computation)
  }
  for (const each of computations.values()) visit(each)
  return [...ordered]
}

/** The computations that this one is computed from, in the order of its clauses. */
export function dependenciesOf(
  computation: Computation,
  computations: Computations,
): readonly Computation[] {
  if (computation.kind === 'trait' || computation.condition === null) return []
  return [...clausesIn(computation.condition)]
    .map(({ clause }) => referenceOf(clause, computation.space, computations))
    .filter((each) => each !== undefined)
}
