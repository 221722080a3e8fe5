import type { EventName } from '@hookline/cli/management-client'
import { EVENT_TYPES } from '@hookline/protocol'
import { api } from '../../api/client.ts'
import { usePages } from '../../api/use-pages.ts'
import { shownText } from '../../format/shown-text.ts'

export type CatalogPart = 'source' | 'type' | 'open'

export interface CatalogFilters {
  readonly source: string
  readonly type: string
}

/** The number of names per page. Each page is one request. */
const PAGE = 200
const REFETCH_MS = 10_000

export function useEventNames({ source, type }: CatalogFilters) {
  const known = EVENT_TYPES.find((each) => each === type)
  const filter = { ...(source && { sourceId: source }), ...(known && { $type: known }) }
  return usePages<EventName>({
    queryKey: ['event-names', source, type],
    fetch: (page, signal) => api.listEventNames({ ...filter, ...page, limit: PAGE }, { signal }),
    refetchMs: () => REFETCH_MS,
  })
}

/** Identifies a name in the URL. */
export function keyOf({ sourceId, type, name }: EventName): string {
  return JSON.stringify([sourceId, type, name])
}

export function titleOf({ type, name }: EventName): string {
  if (type === null) return 'Other names'
  if (name !== null) return shownText(name, 120)
  return type === 'page' || type === 'screen' ? `${type} without a name` : type
}

/** The filter of a destination that gets only these events. */
export function filterOf({ type, name }: EventName): object {
  if (name === null) return { type }
  if (type === 'track') return { type, event: name }
  return { type, where: [{ field: 'name', op: 'equals', value: name }] }
}
