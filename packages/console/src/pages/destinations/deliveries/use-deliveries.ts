import {
  type InfiniteData,
  useInfiniteQuery,
  type UseInfiniteQueryResult,
} from '@tanstack/react-query'
import { api } from '../../../api/client.ts'
import { type FilledPage, filledPage } from '../../../api/filled-page.ts'
import type { Delivery } from '@hookline/cli/management-client'
import { type DeliveryFilters, queryOf } from './delivery-filters.ts'

const PAGE = 50

/** Deliveries to a destination that match the filters, newest first, page by page. */
export function useDeliveries(
  destinationId: string,
  filters: DeliveryFilters,
): UseInfiniteQueryResult<InfiniteData<FilledPage<Delivery>>> {
  return useInfiniteQuery({
    queryKey: ['deliveries', 'list', destinationId, filters],
    queryFn: ({ pageParam, signal }) => {
      const query = { ...queryOf(filters, Date.now()), destinationId }
      const fetch = (page: object) => api.listDeliveries({ ...query, ...page }, { signal })
      return filledPage({ from: pageParam, limit: PAGE, fetch })
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    refetchOnWindowFocus: false,
  })
}
