import { queryOptions } from '@tanstack/react-query'
import { api } from './client.ts'

/** All items of a list that a team keeps small: sources, destinations, audiences. */
export async function allOf<Item>(
  list: (page: {
    limit: number
    cursor?: string
  }) => Promise<{ data: Item[]; nextCursor: string | null }>,
): Promise<Item[]> {
  const items: Item[] = []
  let cursor: string | null = null
  do {
    const page: { data: Item[]; nextCursor: string | null } = await list({
      limit: 100,
      ...(cursor !== null && { cursor }),
    })
    items.push(...page.data)
    cursor = page.nextCursor
  } while (cursor !== null)
  return items
}

/** All sources. The first element of a query key is the resource: the stream says when it has changed. */
export const sourcesQuery = queryOptions({
  queryKey: ['sources'],
  queryFn: () => allOf((page) => api.listSources(page)),
})

/** All destinations, without their health. */
export const destinationsQuery = queryOptions({
  queryKey: ['destinations'],
  queryFn: () => allOf((page) => api.listDestinations(page)),
})
