import { type Computation, type Compute, type EventClause, LIMITS } from '@hookline/protocol'
import type { Keeping } from '../../backend/facts.ts'
import { clausesIn, isEventClause } from './clauses-in.ts'
import { definitionOf } from './fact-definition.ts'
import { windowMs } from './window.ts'

/** What a condition or a `compute` needs of the events that it counts. */
export interface NeededClause {
  readonly definition: string
  readonly keeping: Keeping
}

/** What the clause of a condition needs. Its count is exact up to `keeping.most`, and never greater. */
export function clauseOfEvents(clause: EventClause): NeededClause {
  const most = Math.max(LIMITS.leastFactsPerClause, (clause.count?.n ?? 0) + 1)
  const { withinMs: forMs = null } = windowMs(clause)
  return { definition: definitionOf(clause), keeping: { forMs, most } }
}

/** What a computed trait needs. */
export function clauseOfCompute(compute: Compute): NeededClause {
  const { withinMs: forMs = null } = windowMs(compute)
  const keeping = { forMs, most: LIMITS.factsPerComputedTrait }
  return { definition: definitionOf(compute), keeping }
}

/** What a computation needs. Several clauses may have the same definition. */
export function clausesOf(computation: Computation): readonly NeededClause[] {
  if (computation.kind === 'trait') return [clauseOfCompute(computation.compute)]
  if (computation.condition === null) return []
  return [...clausesIn(computation.condition)]
    .filter(({ clause }) => isEventClause(clause))
    .map(({ clause }) => clauseOfEvents(clause as EventClause))
}

/** What all of these computations need, by definition. */
export function neededClauses(computations: Iterable<Computation>): ReadonlyMap<string, Keeping> {
  const needed = new Map<string, Keeping>()
  for (const computation of computations) {
    for (const { definition, keeping } of clausesOf(computation)) {
      const other = needed.get(definition)
      needed.set(definition, other ? mergedKeeping(other, keeping) : keeping)
    }
  }
  return needed
}

/** Keeps what either of them keeps. */
export function mergedKeeping(a: Keeping, b: Keeping): Keeping {
  return {
    forMs: a.forMs === null || b.forMs === null ? null : Math.max(a.forMs, b.forMs),
    most: Math.max(a.most, b.most),
  }
}
