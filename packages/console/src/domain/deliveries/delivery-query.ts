import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'

const OPEN_REFETCH_MS = 1_500

export function deliveryQuery(id: string) {
  return queryOptions({
    queryKey: ['deliveries', id],
    queryFn: ({ signal }) => api.getDelivery(id, { signal }),
    refetchInterval: ({ state }) =>
      state.data?.state === 'pending' || state.data?.state === 'held' ? OPEN_REFETCH_MS : false,
  })
}
