import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '../../../api/client.ts'
import type { Computation, ComputationKind } from './computation-kind.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const APART_MS = 30_000

/** How many users entered and left over the last days. It is fetched again when the size changes. */
export function changesQuery(kind: ComputationKind, record: Computation, days: number) {
  const { id, size, lastSync } = record
  return queryOptions({
    // Not below the resource: a change of the record is no change of these, and a list has many of them.
    queryKey: ['entered-and-left', kind.resource, id, days, size, lastSync?.id],
    queryFn: async () => {
      const $from = new Date(Date.now() - days * DAY_MS).toISOString()
      // The API has no more than 1,500 points.
      const step = days > 30 ? '1d' : '1h'
      const { from, points } = await api.getStatistics({ sourceId: id, $from, step })
      return { from, data: points }
    },
    placeholderData: keepPreviousData,
    staleTime: APART_MS,
    refetchInterval: APART_MS,
  })
}
