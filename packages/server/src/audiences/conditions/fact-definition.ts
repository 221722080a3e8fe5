import type { EventSelection, Json, Window } from '@hookline/protocol'
import { canonicalJson } from './canonical-json.ts'
import { windowMs } from './window.ts'

/**
 * Which events are facts of a clause, and what is kept of them. A sliding window is no part of it: clauses that differ in
 * it alone share their facts. A fixed window is: facts outside of it need not be kept.
 */
export interface FactDefinition extends EventSelection {
  /** The property whose value is kept. An event without it is no fact. */
  readonly property?: string
  /** In milliseconds since the epoch: from the first one, before the second one. */
  readonly between?: readonly [from: number, to: number]
}

/** What a clause or a `compute` counts, as text. Equal texts mean the same, in whatever order fields and filters were. */
export function definitionOf(
  source: EventSelection & Window & { readonly property?: string },
): string {
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
