import { queryOptions } from '@tanstack/react-query'
import type { StatisticsPoint } from '@hookline/cli/management-client'
import { api } from '../api/client.ts'
import { type PeriodName, PERIODS } from './periods.ts'

export type { StatisticsPoint }

const REFETCH_MS = 10_000

interface Scope {
  readonly sourceId?: string
  readonly destinationId?: string
  readonly by?: 'source' | 'destination'
}

/** `withBefore` adds the previous period. */
export function statisticsQuery(name: PeriodName, scope: Scope = {}, withBefore = false) {
  const { ms, step } = PERIODS[name]
  return queryOptions({
    queryKey: ['statistics', name, scope, withBefore],
    queryFn: () => {
      const from = new Date(Date.now() - ms * (withBefore ? 2 : 1)).toISOString()
      return api.getStatistics({ ...scope, $from: from, step })
    },
    refetchInterval: REFETCH_MS,
  })
}
