import {
  type InfiniteData,
  useInfiniteQuery,
  type UseInfiniteQueryResult,
} from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import type { Event } from '@hookline/cli/management-client'
import { type EventFilters, queryOf } from './event-filters.ts'

const PAGE = 50
/** The service looks through a bounded part of the archive for each page. So many are asked for before a person is. */
const MOST_SHORT_PAGES = 10

export interface EventPage {
  readonly events: readonly Event[]
  readonly next: string | null
}

/** Events that match the filters, newest first, page by page. A page that is on screen stays as it is. */
export function useEvents(
  filters: EventFilters,
  isOn: boolean,
): UseInfiniteQueryResult<InfiniteData<EventPage>> {
  return useInfiniteQuery({
    queryKey: ['events', 'list', filters],
    queryFn: ({ pageParam, signal }) => filledPage(filters, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    enabled: isOn,
    staleTime: Infinity,
    refetchOnWindowFocus: false,
  })
}

/** One page of the list, made of short ones where few events match. */
async function filledPage(
  filters: EventFilters,
  from: string | null,
  signal: AbortSignal,
): Promise<EventPage> {
  const query = queryOf(filters, Date.now())
  const events: Event[] = []
  let next = from
  for (let pages = 0; pages < MOST_SHORT_PAGES && events.length < PAGE; pages += 1) {
    const page = await api.listEvents(
      { ...query, limit: PAGE - events.length, ...(next !== null && { cursor: next }) },
      { signal },
    )
    events.push(...page.data)
    next = page.nextCursor
    if (next === null) break
  }
  return { events, next }
}
