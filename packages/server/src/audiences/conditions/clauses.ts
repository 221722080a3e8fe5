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
import { type FactRetention, mergedRetention } from '../../backend/facts.ts'
import { windowMs } from './window.ts'

/** Clauses of a condition in order, with their JSON Pointers. */
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

interface NeededClause {
  readonly definition: string
  readonly retention: FactRetention
}

/** Enough facts are kept for a count that is exact up to `retention.maxCount`, and never too high. */
export function clauseOfEvents(clause: EventClause): NeededClause {
  const maxCount = Math.max(LIMITS.minFactsPerClause, (clause.count?.n ?? 0) + 1)
  return neededClause(clause, maxCount)
}

export function clauseOfCompute(compute: Compute): NeededClause {
  return neededClause(compute, LIMITS.factsPerComputedTrait)
}

function neededClause(source: CountedEvents, maxCount: number): NeededClause {
  const { withinMs: maxAgeMs = null } = windowMs(source)
  return { definition: definitionOf(source), retention: { maxAgeMs, maxCount } }
}

/** May contain the same definition several times. */
export function clausesOf(computation: Computation): readonly NeededClause[] {
  if (computation.kind === 'trait') return [clauseOfCompute(computation.compute)]
  if (computation.condition === null) return []
  return [...clausesIn(computation.condition)].flatMap(({ clause }) =>
    'event' in clause || 'type' in clause ? [clauseOfEvents(clause)] : [],
  )
}

export function neededClauses(all: Iterable<Computation>): ReadonlyMap<string, FactRetention> {
  const needed = new Map<string, FactRetention>()
  for (const computation of all) {
    for (const { definition, retention } of clausesOf(computation)) {
      const other = needed.get(definition)
      needed.set(definition, other ? mergedRetention(other, retention) : retention)
    }
  }
  return needed
}

type CountedEvents = EventSelection & Window & { readonly property?: string }

/** Selects the facts of a clause. It has no sliding window, so clauses that differ only in their sliding window share facts. */
interface FactDefinition extends EventSelection {
  /** The property to store. Events without it are not facts. */
  readonly property?: string
  /** In milliseconds since the epoch; `to` is exclusive. */
  readonly between?: readonly [from: number, to: number]
}

/** Canonical text: independent of the order of fields and filters. */
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

export function parseDefinition(definition: string): FactDefinition {
  return JSON.parse(definition) as FactDefinition
}

/** JSON with sorted keys. */
function canonicalJson(value: Json): string {
  return JSON.stringify(value, (_key, each: Json) =>
    isJsonObject(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  )
}
