import {
  type InfiniteData,
  useInfiniteQuery,
  type UseInfiniteQueryResult,
} from '@tanstack/react-query'
import { api } from '../../../api/client.ts'
import type { Delivery } from '@hookline/cli/management-client'
import { type DeliveryFilters, queryOf } from './delivery-filters.ts'

const PAGE = 50
/** The service looks through a bounded number of deliveries for each page. So many are asked for before a person is. */
const MOST_SHORT_PAGES = 10

interface DeliveryPage {
  readonly deliveries: readonly Delivery[]
  readonly next: string | null
}

/** Deliveries to a destination that match the filters, newest first, page by page. */
export function useDeliveries(
  destinationId: string,
  filters: DeliveryFilters,
): UseInfiniteQueryResult<InfiniteData<DeliveryPage>> {
  return useInfiniteQuery({
    queryKey: ['deliveries', 'list', destinationId, filters],
    queryFn: ({ pageParam, signal }) => filledPage(destinationId, filters, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    refetchOnWindowFocus: false,
  })
}

/** One page of the list, made of short ones where few deliveries match. */
async function filledPage(
  destinationId: string,
  filters: DeliveryFilters,
  from: string | null,
  signal: AbortSignal,
): Promise<DeliveryPage> {
  const query = { ...queryOf(filters, Date.now()), destinationId }
  const deliveries: Delivery[] = []
  let next = from
  for (let pages = 0; pages < MOST_SHORT_PAGES && deliveries.length < PAGE; pages += 1) {
    const page = await api.listDeliveries(
      { ...query, limit: PAGE - deliveries.length, ...(next !== null && { cursor: next }) },
      { signal },
    )
    deliveries.push(...page.data)
    next = page.nextCursor
    if (next === null) break
  }
  return { deliveries, next }
}
