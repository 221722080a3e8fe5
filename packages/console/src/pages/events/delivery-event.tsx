import { useQuery } from '@tanstack/react-query'
import { Navigate } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { api } from '../../api/client.ts'
import { LeadOn } from '../../shell/lead-on.tsx'

/** Leads from the id of a delivery to the trace of its event. */
export function DeliveryEvent({ id }: { readonly id: string }): ReactElement {
  const query = useQuery({
    queryKey: ['deliveries', id],
    queryFn: ({ signal }) => api.getDelivery(id, { signal }),
  })
  return (
    <LeadOn
      id={id}
      title="Delivery"
      query={query}
      found={({ eventId }) => <Navigate to="/events/$id" params={{ id: eventId }} replace />}
      why="retention has removed the delivery"
      all={{ to: '/events', words: 'Show all events' }}
    />
  )
}
