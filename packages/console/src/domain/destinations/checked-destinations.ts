import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { problemOf } from '../../api/problem.ts'
import { allOf } from '../../api/queries.ts'
import type { HealthyDestination } from './destination-query.ts'

/** Each is a request: the service also has events to deliver. */
const MOST_CHECKED = 100
const AT_ONCE = 4
const REFETCH_MS = 15_000

/** The oldest destinations with their health, and the others as they are listed. */
export const checkedDestinationsQuery = queryOptions({
  queryKey: ['destinations', 'with health'],
  queryFn: async ({ signal }) => {
    const listed = await allOf((page) => api.listDestinations(page))
    const some = listed.slice(0, MOST_CHECKED)
    const checked: HealthyDestination[] = []
    for (let start = 0; start < some.length; start += AT_ONCE) {
      const few = some.slice(start, start + AT_ONCE)
      checked.push(...(await Promise.all(few.map(({ id }) => found(id, signal)))).flat())
    }
    return { checked, others: listed.slice(MOST_CHECKED) }
  },
  refetchInterval: REFETCH_MS,
})

/** Empty if it has been removed since it was listed. */
async function found(id: string, signal: AbortSignal): Promise<HealthyDestination[]> {
  try {
    return [await api.getDestination(id, { signal })]
  } catch (error) {
    if (problemOf(error).status === 404) return []
    throw error
  }
}
