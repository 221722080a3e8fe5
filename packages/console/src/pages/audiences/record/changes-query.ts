import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '../../../api/client.ts'
import type { Computation, ComputationKind } from './computation-kind.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const REFETCH_MS = 30_000

/** Users who entered and left, refetched when the size changes. */
export function changesQuery(kind: ComputationKind, record: Computation, days: number) {
  const { id, size, lastSync } = record
  return queryOptions({
    // Not under the resource: lists have many of these, and changes to the record do not affect them.
    queryKey: ['entered-and-left', kind.resource, id, days, size, lastSync?.id],
    queryFn: async () => {
      const $from = new Date(Date.now() - days * DAY_MS).toISOString()
      // The API returns at most 1,500 points.
      const step = days > 30 ? '1d' : '1h'
      const { from, points } = await api.getStatistics({ sourceId: id, $from, step })
      return { from, data: points }
    },
    placeholderData: keepPreviousData,
    staleTime: REFETCH_MS,
    refetchInterval: REFETCH_MS,
  })
}
