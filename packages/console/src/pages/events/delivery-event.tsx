import { useQuery } from '@tanstack/react-query'
import { Link, Navigate } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { api } from '../../api/client.ts'
import { problemOf } from '../../api/problem.ts'
import { Empty, Failed, Skeleton } from '../../design/states.tsx'
import { shownText } from '../../format/shown-text.ts'
import { PageHeading } from '../../shell/page-heading.tsx'

/** Leads from the id of a delivery to the trace of its event. */
export function DeliveryEvent({ id }: { readonly id: string }): ReactElement {
  const { data, error, refetch } = useQuery({
    queryKey: ['deliveries', id],
    queryFn: ({ signal }) => api.getDelivery(id, { signal }),
  })
  if (data !== undefined) return <Navigate to="/events/$id" params={{ id: data.eventId }} replace />
  return (
    <>
      <PageHeading title="Delivery" />
      {error === null ? (
        <Skeleton />
      ) : problemOf(error).status === 404 ? (
        <Empty
          title="No delivery has this id"
          action={
            <Link to="/events" className="text-accent underline">
              Show all events
            </Link>
          }
        >
          {shownText(id, 60)} is not stored: the id is not complete, or retention has removed the
          delivery.
        </Empty>
      ) : (
        <Failed error={error} onRetry={() => void refetch()} />
      )}
    </>
  )
}
