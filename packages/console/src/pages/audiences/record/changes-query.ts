import { queryOptions } from '@tanstack/react-query'
import type { ComputationKind } from './computation-kind.ts'

const DAY_MS = 24 * 60 * 60 * 1000
/** The service has the changes of the last 90 days, by its own clock. */
const MARGIN_MS = 60 * 60 * 1000
const APART_MS = 30_000

/** How many users entered and left in each hour of the last days. */
export function changesQuery(kind: ComputationKind, id: string, days: number) {
  return queryOptions({
    // Not below the resource: a change of the record is no change of these, and a list has many of them.
    queryKey: ['entered-and-left', kind.resource, id, days],
    queryFn: () =>
      kind.changes(
        id,
        new Date(Date.now() - days * DAY_MS + MARGIN_MS * (days > 1 ? 1 : 0)).toISOString(),
      ),
    staleTime: APART_MS,
    refetchInterval: APART_MS,
  })
}
