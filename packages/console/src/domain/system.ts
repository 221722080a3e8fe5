import { queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'

export type System = Awaited<ReturnType<typeof api.getSystem>>

const REFETCH_MS = 5_000

export const systemQuery = queryOptions({
  queryKey: ['system'],
  queryFn: () => api.getSystem(),
  refetchInterval: REFETCH_MS,
})
