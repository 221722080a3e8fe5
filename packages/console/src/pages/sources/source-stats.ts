import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { type Period, PERIODS } from './volume.ts'

/** The service writes its counts once a minute. */
const REFETCH_MS = 30_000

/** What a source has received and refused; without an id, what the service has. */
export function statsQuery(period: Period, sourceId?: string) {
  const { ms, step } = PERIODS[period]
  return queryOptions({
    queryKey: ['stats', period, sourceId],
    queryFn: ({ signal }) => {
      const from = new Date(Date.now() - ms).toISOString()
      const of = sourceId === undefined ? {} : { sourceId }
      return api.getStatistics({ $from: from, step, ...of }, { signal })
    },
    refetchInterval: REFETCH_MS,
    staleTime: REFETCH_MS,
  })
}
