import { infiniteQueryOptions, type QueryKey, useInfiniteQuery } from '@tanstack/react-query'
import type { Page } from './queries.ts'

interface PagesOptions<Item> {
  readonly queryKey: QueryKey
  readonly fetch: (page: { readonly cursor?: string }, signal: AbortSignal) => Promise<Page<Item>>
  /** The refetch interval of a single page; `false` for never. */
  readonly refetchMs?: (items: readonly Item[]) => number | false
}

/** A long list: `data` has the items of all loaded pages. */
export function usePages<Item>(options: PagesOptions<Item>) {
  return useInfiniteQuery(pagesOptions(options))
}

/** Each page is a request, so the refetch interval grows with the number of pages. */
export function pagesOptions<Item>({ queryKey, fetch, refetchMs }: PagesOptions<Item>) {
  return infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) =>
      fetch(pageParam === '' ? {} : { cursor: pageParam }, signal),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    select: ({ pages }) => pages.flatMap(({ data }) => data),
    refetchInterval: ({ state: { data } }) => {
      const pages = data?.pages ?? []
      const ms = refetchMs?.(pages.flatMap((page) => page.data)) ?? false
      return ms && ms * Math.max(1, pages.length)
    },
  })
}
