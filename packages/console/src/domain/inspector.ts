import { queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'

export const inspectorQuery = queryOptions({
  queryKey: ['inspector'],
  queryFn: () => api.getInspector(),
})
