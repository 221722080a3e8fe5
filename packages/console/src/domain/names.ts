import { useQuery } from '@tanstack/react-query'
import { destinationsQuery, sourcesQuery } from '../api/queries.ts'
import { shownText } from '../format/shown-text.ts'

/** Ids with the names of what they belong to. */
export interface Names {
  /** Its name; the id where it was removed, or is not loaded yet. */
  readonly destination: (id: string) => string
  /** The same, and what it is where an audience or a computed trait has made the event. */
  readonly source: (id: string) => string
  /** Whether the destination was removed. */
  readonly isGone: (destinationId: string) => boolean
  /** Differs when a name may differ. */
  readonly key: number
}

const MOST_CHARACTERS = 60

/** What makes events besides sources, by how its ids begin. */
const COMPUTED_BY: ReadonlyMap<string, string> = new Map([
  ['aud_', 'audience'],
  ['trt_', 'computed trait'],
])

/** The names of all sources and destinations. */
export function useNames(): Names {
  const { data: destinations, dataUpdatedAt: first } = useQuery(destinationsQuery)
  const { data: sources, dataUpdatedAt: second } = useQuery(sourcesQuery)
  return {
    destination: (id) => nameIn(destinations, id),
    source: (id) => COMPUTED_BY.get(id.slice(0, 4)) ?? nameIn(sources, id),
    isGone: (id) => destinations?.every((each) => each.id !== id) ?? false,
    key: first + second,
  }
}

function nameIn(
  records: readonly { readonly id: string; readonly name: string }[] | undefined,
  id: string,
): string {
  return shownText(records?.find((each) => each.id === id)?.name ?? id, MOST_CHARACTERS)
}
