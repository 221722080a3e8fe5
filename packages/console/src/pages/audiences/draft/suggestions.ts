import { isJsonObject, type Json, type JsonObject } from '@hookline/protocol'

/** Names that recent events had, for the inputs to offer. */
export interface Suggestions {
  readonly track: readonly string[]
  readonly page: readonly string[]
  readonly screen: readonly string[]
  readonly traits: readonly string[]
  readonly properties: readonly string[]
}

/** So many names of a kind are offered at most. */
export const MOST_SUGGESTED = 50
const LONGEST = 100
const DEEPEST = 3

/** The names in these events, the most frequent ones first. */
export function suggestionsIn(events: readonly JsonObject[]): Suggestions {
  const counts = {
    track: count(),
    page: count(),
    screen: count(),
    traits: count(),
    properties: count(),
  }
  for (const event of events) {
    const { type } = event
    if (type === 'track') counts.track.add(event['event'])
    if (type === 'page' || type === 'screen') counts[type].add(event['name'])
    for (const path of pathsIn(event['traits'])) counts.traits.add(path)
    for (const path of pathsIn(event['properties'])) counts.properties.add(path)
  }
  return {
    track: counts.track.names(),
    page: counts.page.names(),
    screen: counts.screen.names(),
    traits: counts.traits.names(),
    properties: counts.properties.names(),
  }
}

function count() {
  const seen = new Map<string, number>()
  return {
    add(name: Json | undefined): void {
      if (typeof name !== 'string' || name === '' || name.length > LONGEST) return
      seen.set(name, (seen.get(name) ?? 0) + 1)
    },
    names: () =>
      [...seen]
        .toSorted(([, a], [, b]) => b - a)
        .slice(0, MOST_SUGGESTED)
        .map(([name]) => name),
  }
}

/** `address.city`: a dot in a name is written with a backslash. */
function pathsIn(value: Json | undefined, before = '', level = 1): string[] {
  if (!isJsonObject(value) || level > DEEPEST) return []
  return Object.entries(value).flatMap(([name, inner]) => {
    const path = before + name.replaceAll('.', String.raw`\.`)
    const below = pathsIn(inner, `${path}.`, level + 1)
    return below.length > 0 ? below : [path]
  })
}
