import { api } from '../../api/client.ts'
import { usePages } from '../../api/use-pages.ts'
import type { RequestFilters } from './requests.ts'

const PAGE = 50
/** How soon new requests are looked for. */
const REFETCH_MS = 1_500

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
    refetchMs: () => REFETCH_MS,
  })
}
