import {
  type AcceptedEvent,
  type Comparison,
  type Event,
  type EventType,
  comparisonHolds,
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

type NumberedClause = Pick<FactClause, 'number' | 'definition'>

interface MatchedClause extends WindowMs {
  readonly number: number
  readonly event: string | undefined
  readonly type: EventType | undefined
  readonly name: string | undefined
  readonly filters: readonly { readonly path: readonly string[]; readonly is: Comparison }[]
  readonly path: readonly string[] | null
}

const NONE: readonly ClauseFact[] = []
const EMPTY: JsonObject = {}

/** Finds the clauses that count an event. An event that no clause names costs one lookup. */
export class EventMatcher {
  readonly #byEvent: ReadonlyMap<string | undefined, readonly MatchedClause[]>
  readonly #byType: ReadonlyMap<EventType | undefined, readonly MatchedClause[]>

  constructor(clauses: Iterable<NumberedClause>) {
    const matched = [...clauses].map(matchedClause)
    const ofTrackCalls = matched.filter(({ type }) => type === undefined)
    this.#byEvent = Map.groupBy(ofTrackCalls, ({ event }) => event)
    const ofOtherCalls = matched.filter(({ type }) => type !== undefined)
    this.#byType = Map.groupBy(ofOtherCalls, ({ type }) => type)
  }

  /** Excludes events that no clause counts. */
  get selector(): EventSelector {
    const events = [...this.#byEvent.keys()].filter((name) => name !== undefined)
    const types = [...this.#byType.keys()].filter((type) => type !== undefined)
    return { events, types }
  }

  /** Facts from an event: from its properties, or the traits of identify and group calls, at its effective time. */
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

function matchedClause({ number, definition }: NumberedClause): MatchedClause {
  const { event, type, name, where = [], property, between } = parseDefinition(definition)
  return {
    number,
    event,
    type,
    name,
    filters: where.map((is) => ({ path: pathOf(is.property), is })),
    path: property === undefined ? null : pathOf(property),
    ...(between && { between }),
  }
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
    if (!comparisonHolds(is, valueAt(properties, path), timestampMs)) return false
  }
  return true
}

/** `undefined` for a missing or overlong value, which results in no fact. */
function keptValue(value: Json | undefined): Json | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'number' || typeof value === 'boolean') return value
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length <= LIMITS.factValueCharacters ? value : undefined
}
