import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'

const REFETCH_MS = 10_000

export type Alerts = Awaited<ReturnType<typeof api.getAlerts>>
export type Channel = Alerts['channels'][number]

/** Channels are destinations, so a change to a destination refetches it. */
export const alertsQuery = queryOptions({
  queryKey: ['destinations', 'alerts'],
  queryFn: ({ signal }) => api.getAlerts({ signal }),
  refetchInterval: REFETCH_MS,
})
