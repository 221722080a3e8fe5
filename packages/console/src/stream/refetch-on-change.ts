import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { inRounds } from './in-rounds.ts'
import { useLive } from './use-live.ts'

/** A script changes hundreds of records in seconds, and each change is a message. */
const ROUND_MS = 1_000

/**
 * Fetches again what the service says has changed: the first change at once, and those that follow within a second together.
 * The first element of a query key is the resource: `['destinations', id]`. Where changes were missed, everything on screen is
 * fetched again.
 */
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
