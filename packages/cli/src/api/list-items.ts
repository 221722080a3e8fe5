/** Which page of a list to fetch. */
interface PageRequest {
  readonly limit: number
  readonly cursor?: string
}

interface Page<T> {
  readonly data: readonly T[]
  /** `null` on the last page. */
  readonly nextCursor: string | null
}

const PAGE_ITEMS = 200

/** The first `count` items of a list, page by page. A page of a search may be short before the end. */
export async function listItems<T>(
  fetchPage: (request: PageRequest) => Promise<Page<T>>,
  count = Infinity,
): Promise<T[]> {
  const items: T[] = []
  let next: Pick<PageRequest, 'cursor'> | undefined = {}
  while (next !== undefined && items.length < count) {
    const limit = Math.min(PAGE_ITEMS, count - items.length)
    const { data, nextCursor }: Page<T> = await fetchPage({ limit, ...next })
    items.push(...data)
    next = nextCursor === null ? undefined : { cursor: nextCursor }
  }
  return items
}
