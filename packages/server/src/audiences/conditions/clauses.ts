import {
  type Clause,
  type Computation,
  type Compute,
  type Condition,
  type EventClause,
  type EventSelection,
  isJsonObject,
  type Json,
  LIMITS,
  type Window,
} from '@hookline/protocol'
import type { Keeping } from '../../backend/facts.ts'
import { windowMs } from './window.ts'

/** The clauses of a condition, in its order, with their places as JSON Pointers. */
export function* clausesIn(
  condition: Condition,
  pointer = '',
): Generator<{ readonly clause: Clause; readonly pointer: string }> {
  if ('and' in condition) yield* clausesInList(condition.and, `${pointer}/and`)
  else if ('or' in condition) yield* clausesInList(condition.or, `${pointer}/or`)
  else if ('not' in condition) yield* clausesIn(condition.not, `${pointer}/not`)
  else yield { clause: condition, pointer }
}

function* clausesInList(list: readonly Condition[], pointer: string) {
  for (const [index, each] of list.entries()) yield* clausesIn(each, `${pointer}/${index}`)
}

/** What a clause or a `compute` needs of the events that it counts. */
interface NeededClause {
  readonly definition: string
  readonly keeping: Keeping
}

/** What the clause of a condition needs. Its count is exact up to `keeping.most`, and never greater. */
export function clauseOfEvents(clause: EventClause): NeededClause {
  const most = Math.max(LIMITS.leastFactsPerClause, (clause.count?.n ?? 0) + 1)
  return neededClause(clause, most)
}

/** What a computed trait needs. */
export function clauseOfCompute(compute: Compute): NeededClause {
  return neededClause(compute, LIMITS.factsPerComputedTrait)
}

function neededClause(source: CountedEvents, most: number): NeededClause {
  const { withinMs: forMs = null } = windowMs(source)
  return { definition: definitionOf(source), keeping: { forMs, most } }
}

/** What a computation needs. Several clauses may have the same definition. */
export function clausesOf(computation: Computation): readonly NeededClause[] {
  if (computation.kind === 'trait') return [clauseOfCompute(computation.compute)]
  if (computation.condition === null) return []
  return [...clausesIn(computation.condition)].flatMap(({ clause }) =>
    'event' in clause || 'type' in clause ? [clauseOfEvents(clause)] : [],
  )
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

/** The events that a clause or a `compute` counts. */
type CountedEvents = EventSelection & Window & { readonly property?: string }

/**
 * Which events are facts of a clause, and what is kept of them. It excludes a sliding window, so clauses that differ only in
 * theirs share facts. It includes a fixed window: facts outside of it need not be kept.
 */
interface FactDefinition extends EventSelection {
  /** The property whose value is kept. An event without it is no fact. */
  readonly property?: string
  /** In milliseconds since the epoch: from the first one, before the second one. */
  readonly between?: readonly [from: number, to: number]
}

/** The definition as text. Equal texts mean the same, in whatever order fields and filters were. */
export function definitionOf(source: CountedEvents): string {
  const { event, type, name, property, where = [] } = source
  const { between } = windowMs(source)
  const filters = new Map(where.map((filter) => [canonicalJson({ ...filter }), filter]))
  const texts = [...filters.keys()].toSorted()
  return canonicalJson({
    event,
    type,
    name,
    property,
    ...(texts.length > 0 && { where: texts.map((text): Json => ({ ...filters.get(text) })) }),
    ...(between && { between }),
  })
}

/** The definition that `definitionOf` wrote. */
export function parseDefinition(definition: string): FactDefinition {
  return JSON.parse(definition) as FactDefinition
}

/** The JSON text of a value, with the fields of objects in order: equal values have equal texts. */
function canonicalJson(value: Json): string {
  return JSON.stringify(value, (_key, each: Json) =>
    isJsonObject(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  )
}
