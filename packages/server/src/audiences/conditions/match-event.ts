import {
  type AcceptedEvent,
  type Comparison,
  type Event,
  type EventType,
  holds,
  type Json,
  type JsonObject,
  LIMITS,
  pathOf,
  valueAt,
} from '@hookline/protocol'
import type { FactClause } from '../../backend/facts.ts'
import type { EventSelector } from '../../backend/log.ts'
import type { ClauseFact } from '../../backend/profiles.ts'
import { parseDefinition } from './clauses.ts'
import { isInWindow, type WindowMs } from './window.ts'

/** A clause as the matcher uses it. */
interface MatchedClause extends WindowMs {
  readonly number: number
  readonly name: string | undefined
  readonly filters: readonly { readonly path: readonly string[]; readonly is: Comparison }[]
  readonly path: readonly string[] | null
}

const NONE: readonly ClauseFact[] = []
const EMPTY: JsonObject = {}

/** Finds the clauses that count an event. An event that no clause names costs one look-up. */
export class EventMatcher {
  readonly #byEvent = new Map<string | undefined, MatchedClause[]>()
  readonly #byType = new Map<EventType, MatchedClause[]>()

  constructor(clauses: Iterable<Pick<FactClause, 'number' | 'definition'>>) {
    for (const { number, definition } of clauses) {
      const { event, type, name, where = [], property, between } = parseDefinition(definition)
      const clause: MatchedClause = {
        number,
        name,
        filters: where.map((is) => ({ path: pathOf(is.property), is })),
        path: property === undefined ? null : pathOf(property),
        ...(between && { between }),
      }
      if (type === undefined) append(this.#byEvent, event, clause)
      else append(this.#byType, type, clause)
    }
  }

  /** Leaves out the events that no clause can count. */
  get selector(): EventSelector {
    const events = [...this.#byEvent.keys()].filter((name) => name !== undefined)
    return { events, types: [...this.#byType.keys()] }
  }

  /**
   * The facts of an event. `timestampMs` is its effective time. Filters look at its properties, or, of an identify and a group
   * call, at its traits. A `within_last_days` of a filter looks back from the timestamp.
   */
  factsOf({ event }: AcceptedEvent, timestampMs: number): readonly ClauseFact[] {
    const clauses =
      event.type === 'track' ? this.#byEvent.get(event.event) : this.#byType.get(event.type)
    if (clauses === undefined) return NONE
    const properties = propertiesOf(event)
    const facts: ClauseFact[] = []
    for (const clause of clauses) {
      if (!matches(clause, event.name, properties, timestampMs)) continue
      const value = clause.path === null ? null : keptValue(valueAt(properties, clause.path))
      if (value !== undefined) facts.push({ clause: clause.number, value })
    }
    return facts
  }
}

function append<Key>(map: Map<Key, MatchedClause[]>, key: Key, clause: MatchedClause): void {
  const list = map.get(key)
  if (list === undefined) map.set(key, [clause])
  else list.push(clause)
}

function propertiesOf({ type, traits, properties }: Event): JsonObject {
  return (type === 'identify' || type === 'group' ? traits : properties) ?? EMPTY
}

function matches(
  clause: MatchedClause,
  name: string | undefined,
  properties: JsonObject,
  timestampMs: number,
): boolean {
  if (clause.name !== undefined && clause.name !== name) return false
  if (!isInWindow(clause, timestampMs, timestampMs)) return false
  for (const { path, is } of clause.filters) {
    if (!holds(is, valueAt(properties, path), timestampMs)) return false
  }
  return true
}

/** A value that is missing or too long makes no fact. */
function keptValue(value: Json | undefined): Json | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'number' || typeof value === 'boolean') return value
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length <= LIMITS.factValueCharacters ? value : undefined
}
