import { queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { allOf } from '../api/queries.ts'
import type { UnlinkedOfSource } from './problems/identity-problems.ts'

const DAY_MS = 86_400_000
const REFETCH_MS = 60_000
/** Of more sources, the service would have to show too many points. Their counts are shown as one. */
const MAX_SOURCES = 4_000

/** What was not linked in the last 24 hours. */
export const unlinkedQuery = queryOptions({
  queryKey: ['statistics', 'unlinked'],
  queryFn: async (): Promise<readonly UnlinkedOfSource[]> => {
    const sources = await allOf((page) => api.listSources(page))
    const names = new Map(sources.map(({ id, name }) => [id, name]))
    const $from = new Date(Date.now() - DAY_MS).toISOString()
    const by = sources.length > MAX_SOURCES ? {} : ({ by: 'source' } as const)
    const { points, series } = await api.getStatistics({ ...by, $from, step: '1d' })
    return (series ?? [{ id: '', points }]).map(({ id, points: days }) => ({
      sourceId: id,
      name: id === '' ? 'All sources' : names.get(id),
      unlinked: sumOf(days.map(({ unlinked }) => unlinked)),
    }))
  },
  refetchInterval: REFETCH_MS,
})

function sumOf(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const counts of all)
    for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count
  return sums
}
