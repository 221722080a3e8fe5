import { useQuery } from '@tanstack/react-query'
import { Navigate } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { api } from '../../../api/client.ts'
import { LeadOn } from '../../../shell/lead-on.tsx'

/** Leads from the id of a replay to the replays of its destination. */
export function ReplayDestination({ id }: { readonly id: string }): ReactElement {
  const query = useQuery({
    queryKey: ['replays', id],
    queryFn: ({ signal }) => api.getReplay(id, { signal }),
  })
  return (
    <LeadOn
      id={id}
      title="Replay"
      query={query}
      found={({ destinationId }) => (
        <Navigate
          to="/destinations/$id"
          params={{ id: destinationId }}
          search={{ tab: 'replay' }}
          replace
        />
      )}
      why="the replay was removed"
      all={{ to: '/destinations', words: 'Show all destinations' }}
    />
  )
}
