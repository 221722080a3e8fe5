import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { inRounds } from './in-rounds.ts'
import { useLive } from './use-live.ts'

const ROUND_MS = 1_000

/** Refetches queries of changed resources, at most once a second; all queries if changes were missed. */
export function useRefetchOnChange(): void {
  const client = useQueryClient()
  const [refetch] = useState(() =>
    inRounds(
      (resources: ReadonlySet<string | null>) => refetchOf(client, resources),
      () => new Promise((resolve) => setTimeout(resolve, ROUND_MS)),
    ),
  )
  useLive('changes', (messages) =>
    refetch(messages.flatMap((each) => (each.kind === 'change' ? [each.resource] : []))),
  )
}

function refetchOf(client: QueryClient, resources: ReadonlySet<string | null>): Promise<unknown> {
  if (resources.has(null)) return client.invalidateQueries()
  return Promise.all(
    [...resources].map((resource) => client.invalidateQueries({ queryKey: [resource] })),
  )
}
