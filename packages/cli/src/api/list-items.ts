export interface PageRequest {
  readonly limit: number
  readonly cursor?: string
}

export interface Page<T> {
  readonly data: readonly T[]
  readonly nextCursor: string | null
}

export interface ListPart {
  /** Default: all items. */
  readonly limit?: number
  readonly cursor?: string
}

type FetchPage<T> = (request: PageRequest) => Promise<Page<T>>
const PAGE_ITEMS = 200

/** Fetches part of a list page by page. In a search, pages before the last may also be short. */
export async function listPart<T>(
  fetchPage: FetchPage<T>,
  { limit: count = Infinity, cursor }: ListPart,
): Promise<Page<T>> {
  const data: T[] = []
  let next: string | null | undefined = cursor
  while (next !== null && data.length < count) {
    const limit = Math.min(PAGE_ITEMS, count - data.length)
    const page: Page<T> = await fetchPage({ limit, ...(next !== undefined && { cursor: next }) })
    data.push(...page.data)
    next = page.nextCursor
  }
  return { data, nextCursor: next ?? null }
}

export async function listItems<T>(
  fetchPage: FetchPage<T>,
  limit = Infinity,
): Promise<readonly T[]> {
  return (await listPart(fetchPage, { limit })).data
}
