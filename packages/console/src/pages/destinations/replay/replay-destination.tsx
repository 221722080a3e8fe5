import { useQuery } from '@tanstack/react-query'
import { Link, Navigate } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { api } from '../../../api/client.ts'
import { problemOf } from '../../../api/problem.ts'
import { Empty, Failed, Skeleton } from '../../../design/states.tsx'
import { shownText } from '../../../format/shown-text.ts'
import { PageHeading } from '../../../shell/page-heading.tsx'

/** Leads from the id of a replay to the replays of its destination. */
export function ReplayDestination({ id }: { readonly id: string }): ReactElement {
  const { data, error, refetch } = useQuery({
    queryKey: ['replays', id],
    queryFn: ({ signal }) => api.getReplay(id, { signal }),
  })
  if (data !== undefined) {
    const search = { tab: 'replay' } as object
    return (
      <Navigate
        to="/destinations/$id"
        params={{ id: data.destinationId }}
        search={search}
        replace
      />
    )
  }
  return (
    <>
      <PageHeading title="Replay" />
      {error === null ? (
        <Skeleton />
      ) : problemOf(error).status === 404 ? (
        <Empty
          title="No replay has this id"
          action={
            <Link to="/destinations" className="text-accent underline">
              Show all destinations
            </Link>
          }
        >
          {shownText(id, 60)} is not stored: the id is not complete, or the replay was removed.
        </Empty>
      ) : (
        <Failed error={error} onRetry={() => void refetch()} />
      )}
    </>
  )
}
