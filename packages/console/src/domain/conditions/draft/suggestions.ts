import { isJsonObject, type Json, type JsonObject } from '@hookline/protocol'

/** Names in recent events, which inputs suggest. */
export type Suggestions = Readonly<
  Record<'track' | 'page' | 'screen' | 'traits' | 'properties' | 'context', readonly string[]>
>

const MAX_NAMES = 50
const MAX_CHARACTERS = 100
const MAX_DEPTH = 3

/** The names in these events, most frequent first. */
export function suggestionsIn(events: readonly JsonObject[]): Suggestions {
  const named = (type: string, field: string): (Json | undefined)[] =>
    events.filter((event) => event['type'] === type).map((event) => event[field])
  return {
    track: mostFrequent(named('track', 'event')),
    page: mostFrequent(named('page', 'name')),
    screen: mostFrequent(named('screen', 'name')),
    traits: mostFrequent(events.flatMap((event) => pathsIn(event['traits']))),
    properties: mostFrequent(events.flatMap((event) => pathsIn(event['properties']))),
    context: mostFrequent(events.flatMap((event) => pathsIn(event['context']))),
  }
}

function mostFrequent(names: readonly (Json | undefined)[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const name of names)
    if (typeof name === 'string' && name !== '' && name.length <= MAX_CHARACTERS)
      counts.set(name, (counts.get(name) ?? 0) + 1)
  const sorted = [...counts].toSorted(([, a], [, b]) => b - a)
  return sorted.slice(0, MAX_NAMES).map(([name]) => name)
}

/** `address.city`; dots in names are escaped with a backslash. */
function pathsIn(value: Json | undefined, before = '', level = 1): string[] {
  if (!isJsonObject(value) || level > MAX_DEPTH) return []
  return Object.entries(value).flatMap(([name, inner]) => {
    const path = before + name.replaceAll('.', String.raw`\.`)
    const below = pathsIn(inner, `${path}.`, level + 1)
    return below.length > 0 ? below : [path]
  })
}

/** Event names in a definition that no recent event has, such as half-typed ones. */
export function unknownEvents(
  definition: Json | undefined,
  { track }: Pick<Suggestions, 'track'>,
): readonly string[] {
  // A full list may lack rare names.
  if (track.length === MAX_NAMES) return []
  return [...new Set(eventsIn(definition))].filter((name) => !track.includes(name))
}

function eventsIn(part: Json | undefined): readonly string[] {
  if (!isJsonObject(part)) return []
  const { event, and, or, not } = part
  const inner = [and, or].flatMap((each): readonly Json[] => (Array.isArray(each) ? each : []))
  const own = typeof event === 'string' && event !== '' ? [event] : []
  return [...own, ...inner.flatMap((each) => eventsIn(each)), ...eventsIn(not)]
}
