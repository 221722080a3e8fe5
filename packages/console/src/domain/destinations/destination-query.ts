import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'

const REFETCH_MS = 5_000

export type HealthyDestination = Awaited<ReturnType<typeof api.getDestination>>

export interface DestinationProps {
  readonly destination: HealthyDestination
}

export type Health = HealthyDestination['health']
export type WebhookHealth = Health['webhooks'][number]

export function destinationQuery(id: string) {
  return queryOptions({
    queryKey: ['destinations', id],
    queryFn: ({ signal }) => api.getDestination(id, { signal }),
    refetchInterval: REFETCH_MS,
  })
}
