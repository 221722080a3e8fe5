import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'

const REFETCH_MS = 5_000

export type Failures = Awaited<ReturnType<typeof api.listFailures>>

/** Deliveries that failed in the same way at one destination. */
export type FailureGroup = Failures['data'][number]

/** What failed and is not delivered, grouped; of one destination, or of all. */
export function failuresQuery(destinationId?: string) {
  return queryOptions({
    queryKey: ['deliveries', 'failures', destinationId ?? null],
    queryFn: ({ signal }) =>
      api.listFailures(destinationId === undefined ? {} : { destinationId }, { signal }),
    refetchInterval: REFETCH_MS,
  })
}

/** What tells a group from the others. */
export function failureKey({ destinationId, class: kind, status }: FailureGroup): string {
  return `${destinationId} ${kind} ${status ?? ''}`
}
