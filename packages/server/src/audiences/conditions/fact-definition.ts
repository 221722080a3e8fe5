import { type EventSelection, isJsonObject, type Json, type Window } from '@hookline/protocol'
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

/** The JSON text of a value, with the fields of objects in order: equal values have equal texts. */
function canonicalJson(value: Json): string {
  return JSON.stringify(value, (_key, each: Json) => (isJsonObject(each) ? inOrder(each) : each))
}

function inOrder(object: object): object {
  return Object.fromEntries(Object.entries(object).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
