import { BUILT_IN_SOURCE_ID } from '@hookline/protocol'
import { useQuery } from '@tanstack/react-query'
import { destinationsQuery, sourcesQuery } from '../api/queries.ts'
import { shownText } from '../format/shown-text.ts'

export interface Names {
  /** The name, or the id if the destination is removed or not loaded yet. */
  readonly destination: (id: string) => string
  /** The name; for alerts, audiences and computed traits, their kind. */
  readonly source: (id: string) => string
  readonly isRemoved: (destinationId: string) => boolean
  /** The space of a source; `default` if it is removed or not loaded yet. */
  readonly spaceOf: (sourceId: string) => string
  /** Changes when names may have changed. */
  readonly key: number
}

const MAX_CHARACTERS = 60

/** By the prefix of the id. */
const COMPUTED_BY: ReadonlyMap<string, string> = new Map([
  ['aud_', 'audience'],
  ['trt_', 'computed trait'],
])

export function useNames(): Names {
  const { data: destinations, dataUpdatedAt: first } = useQuery(destinationsQuery)
  const { data: sources, dataUpdatedAt: second } = useQuery(sourcesQuery)
  return {
    destination: (id) => nameIn(destinations, id),
    source: (id) =>
      id === BUILT_IN_SOURCE_ID
        ? 'alerts'
        : (COMPUTED_BY.get(id.slice(0, 4)) ?? nameIn(sources, id)),
    spaceOf: (id) => sources?.find((each) => each.id === id)?.space ?? 'default',
    isRemoved: (id) => destinations?.every((each) => each.id !== id) ?? false,
    key: first + second,
  }
}

function nameIn(
  records: readonly { readonly id: string; readonly name: string }[] | undefined,
  id: string,
): string {
  return shownText(records?.find((each) => each.id === id)?.name ?? id, MAX_CHARACTERS)
}

/** Options of a filter by id, with the selected id even if its record was deleted. */
export function idChoices(
  allLabel: string,
  ids: readonly string[],
  nameOf: (id: string) => string,
): (readonly [id: string, name: string])[] {
  return [
    ['', allLabel],
    ...[...new Set(ids)].filter(Boolean).map((id) => [id, nameOf(id)] as const),
  ]
}
