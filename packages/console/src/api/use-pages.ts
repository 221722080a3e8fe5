import { infiniteQueryOptions, type QueryKey, useInfiniteQuery } from '@tanstack/react-query'

interface Page<Item> {
  readonly data: readonly Item[]
  readonly nextCursor: string | null
}

interface PagesOptions<Item> {
  readonly queryKey: QueryKey
  readonly fetch: (page: { readonly cursor?: string }, signal: AbortSignal) => Promise<Page<Item>>
  /** How soon to fetch again a list of one page, as far as it is known; `false` for never. */
  readonly refetchMs?: (items: readonly Item[]) => number | false
}

/** A long list, page by page: `data` has the items of all pages that were asked for. */
export function usePages<Item>(options: PagesOptions<Item>) {
  return useInfiniteQuery(pagesOptions(options))
}

/** What the query of such a list needs. Each page is a request, so a list of more pages is fetched again less often. */
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
