import {
  type EventSelection,
  type EventType,
  holds,
  type Json,
  type JsonObject,
  pathOf,
  valueAt,
} from '@hookline/protocol'

/** Which events a clause counts. With `property`, those that have a value of it. */
export type Selection = EventSelection & { readonly property?: string }

/** What an event is to a clause that counts it. */
export interface MatchedFact {
  /** Its `timestamp`, in milliseconds since the epoch. */
  readonly at: number
  /** Of the property; `null` where the clause needs none. */
  readonly value: Json
}

/** The type of the calls that are counted. */
export function typeOf({ type }: Selection): EventType {
  return type ?? 'track'
}

/** Makes the function that finds the fact of a call of the counted type, by its JSON; `undefined`: it is not counted. */
export function factMatcher(selection: Selection): (call: JsonObject) => MatchedFact | undefined {
  const { event, type, name, where = [], property } = selection
  const [nameField, wanted] = type === undefined ? ['event', event] : ['name', name]
  const dataField = type === 'identify' || type === 'group' ? 'traits' : 'properties'
  const filters = where.map((is) => ({ path: pathOf(is.property), is }))
  const path = property === undefined ? undefined : pathOf(property)
  return (call) => {
    if (wanted !== undefined && call[nameField] !== wanted) return undefined
    const at = Date.parse(call['timestamp'] as string)
    const data = (call[dataField] ?? {}) as JsonObject
    if (!filters.every(({ path: of, is }) => holds(is, valueAt(data, of), at))) return undefined
    if (path === undefined) return { at, value: null }
    const value = valueAt(data, path) ?? null
    return value === null ? undefined : { at, value }
  }
}
