import { BUILT_IN_SOURCE_ID } from '@hookline/protocol'
import { queryOptions } from '@tanstack/react-query'
import { api } from './client.ts'

export interface Page<Item> {
  readonly data: readonly Item[]
  readonly nextCursor: string | null
}

/** Fetches all pages, for short lists such as sources, destinations and audiences. */
export async function allOf<Item>(
  list: (page: { limit: number; cursor?: string }) => Promise<Page<Item>>,
): Promise<Item[]> {
  const items: Item[] = []
  let cursor: string | null = null
  do {
    const page: Page<Item> = await list({ limit: 100, ...(cursor !== null && { cursor }) })
    items.push(...page.data)
    cursor = page.nextCursor
  } while (cursor !== null)
  return items
}

/**
 * All sources except the built-in one, which no client can use; the Alerts page shows it. The first
 * element of a query key is the resource, so that changes on the stream trigger a refetch.
 */
export const sourcesQuery = queryOptions({
  queryKey: ['sources'],
  queryFn: async () => {
    const sources = await allOf((page) => api.listSources(page))
    return sources.filter(({ id }) => id !== BUILT_IN_SOURCE_ID)
  },
})

export const destinationsQuery = queryOptions({
  queryKey: ['destinations'],
  queryFn: () => allOf((page) => api.listDestinations(page)),
})
