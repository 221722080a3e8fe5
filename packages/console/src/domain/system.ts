import { queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'

/** What the service says of itself. */
export type System = Awaited<ReturnType<typeof api.getSystem>>

const REFETCH_MS = 5_000

/** The service itself: versions, checks, storage, backlog, settings. */
export const systemQuery = queryOptions({
  queryKey: ['system'],
  queryFn: () => api.getSystem(),
  refetchInterval: REFETCH_MS,
})
