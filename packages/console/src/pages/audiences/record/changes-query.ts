import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Computation, ComputationKind } from './computation-kind.ts'

const DAY_MS = 24 * 60 * 60 * 1000
/** The service has the changes of the last 90 days, by its own clock. */
const MARGIN_MS = 60 * 60 * 1000
const APART_MS = 30_000

/** How many users entered and left in each hour of the last days. It is fetched anew when the size changes. */
export function changesQuery(kind: ComputationKind, record: Computation, days: number) {
  const { id, size, lastSync } = record
  return queryOptions({
    // Not below the resource: a change of the record is no change of these, and a list has many of them.
    queryKey: ['entered-and-left', kind.resource, id, days, size, lastSync?.id],
    queryFn: () =>
      kind.changes(
        id,
        new Date(Date.now() - days * DAY_MS + MARGIN_MS * (days > 1 ? 1 : 0)).toISOString(),
      ),
    placeholderData: keepPreviousData,
    staleTime: APART_MS,
    refetchInterval: APART_MS,
  })
}
