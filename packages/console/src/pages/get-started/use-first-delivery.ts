import { useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import type { Delivery, Destination, Event, Source } from '@hookline/cli/management-client'
import { useLive } from '../../stream/use-live.ts'

/** How often the delivery is refetched, in case a stream message was lost. */
const REFETCH_MS = 3_000

interface FirstDelivery {
  readonly event: Event | undefined
  readonly delivery: Delivery | undefined
}

/** The newest event from a source with its delivery to a destination. */
export function useFirstDelivery(
  source: Source | undefined,
  destination: Destination | undefined,
): FirstDelivery {
  const client = useQueryClient()
  const key = ['events', 'newest', source?.id, destination?.id]
  const { data } = useQuery({
    queryKey: key,
    enabled: source !== undefined,
    refetchInterval: REFETCH_MS,
    queryFn: () => readNewest(source!.id, destination?.id),
  })
  useLive('activity', (messages) => {
    const isOurs = messages.some((each) => each.kind === 'event' || each.kind === 'attempt')
    if (isOurs) void client.invalidateQueries({ queryKey: key })
  })
  return data ?? { event: undefined, delivery: undefined }
}

async function readNewest(
  sourceId: string,
  destinationId: string | undefined,
): Promise<FirstDelivery> {
  const { data } = await api.listEvents({ sourceId, limit: 1 })
  const event = data[0]
  if (event === undefined || destinationId === undefined) return { event, delivery: undefined }
  const { data: deliveries } = await api.listDeliveries({ eventId: event.id })
  return { event, delivery: deliveries.find((each) => each.destinationId === destinationId) }
}
