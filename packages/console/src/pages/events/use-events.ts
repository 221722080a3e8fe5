import {
  type InfiniteData,
  useInfiniteQuery,
  type UseInfiniteQueryResult,
} from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { type FilledPage, filledPage } from '../../api/filled-page.ts'
import type { Event } from '@hookline/cli/management-client'
import { type EventFilters, queryOf } from './event-filters.ts'

const PAGE = 50

/** Events that match the filters, newest first, page by page. A page that is on screen stays as it is. */
export function useEvents(
  filters: EventFilters,
  isOn: boolean,
): UseInfiniteQueryResult<InfiniteData<FilledPage<Event>>> {
  return useInfiniteQuery({
    queryKey: ['events', 'list', filters],
    queryFn: ({ pageParam, signal }) => {
      const query = queryOf(filters, Date.now())
      const fetch = (page: object) => api.listEvents({ ...query, ...page }, { signal })
      return filledPage({ from: pageParam, limit: PAGE, fetch })
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    enabled: isOn,
    staleTime: Infinity,
    refetchOnWindowFocus: false,
  })
}
