import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { shownText } from '../../format/shown-text.ts'

const REFETCH_MS = 5_000

export type Failures = Awaited<ReturnType<typeof api.listFailures>>

/** Deliveries that failed in the same way at one destination. */
export type FailureGroup = Failures['data'][number]

export function failuresQuery(destinationId?: string) {
  return queryOptions({
    queryKey: ['deliveries', 'failures', destinationId ?? null],
    queryFn: ({ signal }) =>
      api.listFailures(destinationId === undefined ? {} : { destinationId }, { signal }),
    refetchInterval: REFETCH_MS,
  })
}

export function failureKey({ destinationId, class: kind, status }: FailureGroup): string {
  return `${destinationId} ${kind} ${status ?? ''}`
}

/** `503 http_5xx`, or the class alone. */
export function failureLabel({ class: kind, status }: FailureGroup): string {
  const label = shownText(kind, 40)
  return status === null ? label : `${status} ${label}`
}
