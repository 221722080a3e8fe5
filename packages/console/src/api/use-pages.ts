import { type QueryKey, useInfiniteQuery } from '@tanstack/react-query'

interface Page<Item> {
  readonly data: readonly Item[]
  readonly nextCursor: string | null
}

interface PagesOptions<Item> {
  readonly queryKey: QueryKey
  readonly fetch: (page: { readonly cursor?: string }, signal: AbortSignal) => Promise<Page<Item>>
  /** How soon to fetch again what is on screen, as far as it is known; `false` for never. */
  readonly refetchMs?: (items: readonly Item[]) => number | false
}

/** A long list, page by page: `data` has the items of all pages that were asked for. */
export function usePages<Item>({ queryKey, fetch, refetchMs }: PagesOptions<Item>) {
  return useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) =>
      fetch(pageParam === '' ? {} : { cursor: pageParam }, signal),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    select: ({ pages }) => pages.flatMap(({ data }) => data),
    refetchInterval: ({ state }) =>
      refetchMs?.(state.data?.pages.flatMap(({ data }) => data) ?? []) ?? false,
  })
}
