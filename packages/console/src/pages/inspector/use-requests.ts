import { api } from '../../api/client.ts'
import { usePages } from '../../api/use-pages.ts'
import type { RequestFilters } from './requests.ts'

const PAGE = 50
/** How soon new requests are looked for; less often where many pages are on screen. */
const REFETCH_MS = 1_500
const LONG_REFETCH_MS = 6_000

/** The requests that match, newest first, page by page, and those that come. */
export function useRequests({ destination, delivery }: RequestFilters) {
  return usePages({
    queryKey: ['inspector', 'list', destination, delivery],
    fetch: (page, signal) =>
      api.listInspectedRequests(
        {
          ...page,
          limit: PAGE,
          ...(destination !== undefined && { destinationId: destination }),
          ...(delivery !== undefined && { deliveryId: delivery }),
        },
        { signal },
      ),
    refetchMs: (items) => (items.length > 2 * PAGE ? LONG_REFETCH_MS : REFETCH_MS),
  })
}
