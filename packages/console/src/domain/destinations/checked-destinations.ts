import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { problemOf } from '../../api/problem.ts'
import { allOf } from '../../api/queries.ts'
import type { HealthyDestination } from './destination-query.ts'

/** One request each. */
const MAX_CHECKED = 100
const CONCURRENCY = 4
const REFETCH_MS = 15_000

/** The oldest destinations with their health, and all others without it. */
export const checkedDestinationsQuery = queryOptions({
  queryKey: ['destinations', 'with health'],
  queryFn: async ({ signal }) => {
    const listed = await allOf((page) => api.listDestinations(page))
    const oldest = listed.slice(0, MAX_CHECKED)
    const checked: HealthyDestination[] = []
    for (let start = 0; start < oldest.length; start += CONCURRENCY) {
      const batch = oldest.slice(start, start + CONCURRENCY)
      checked.push(...(await Promise.all(batch.map(({ id }) => healthOf(id, signal)))).flat())
    }
    return { checked, others: listed.slice(MAX_CHECKED) }
  },
  refetchInterval: REFETCH_MS,
})

/** Empty if the destination was removed meanwhile. */
async function healthOf(id: string, signal: AbortSignal): Promise<HealthyDestination[]> {
  try {
    return [await api.getDestination(id, { signal })]
  } catch (error) {
    if (problemOf(error).status === 404) return []
    throw error
  }
}
