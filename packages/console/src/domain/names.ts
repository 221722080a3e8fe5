import { useQuery } from '@tanstack/react-query'
import { destinationsQuery, sourcesQuery } from '../api/queries.ts'
import { shownText } from '../format/shown-text.ts'

/** Ids with the names of what they belong to. */
export interface Names {
  /** Its name; the id where it was removed, or is not loaded yet. */
  readonly destination: (id: string) => string
  readonly source: (id: string) => string
  /** Whether the destination was removed. */
  readonly isGone: (destinationId: string) => boolean
  /** Differs when a name may differ. */
  readonly key: number
}

const MOST_CHARACTERS = 60

/** The names of all sources and destinations. */
export function useNames(): Names {
  const { data: destinations, dataUpdatedAt: first } = useQuery(destinationsQuery)
  const { data: sources, dataUpdatedAt: second } = useQuery(sourcesQuery)
  return {
    destination: (id) => nameIn(destinations, id),
    source: (id) => nameIn(sources, id),
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
