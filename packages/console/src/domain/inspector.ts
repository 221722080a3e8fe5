import { queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'

/** The built-in receiver: its address, and what it answers. */
export const inspectorQuery = queryOptions({
  queryKey: ['inspector'],
  queryFn: () => api.getInspector(),
})
