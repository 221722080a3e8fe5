/** Which page of a list to fetch. */
interface PageRequest {
  readonly limit: number
  readonly cursor?: string
}

/** A part of a list, and where the rest of it begins. */
export interface Page<T> {
  readonly data: readonly T[]
  /** `null` on the last page. */
  readonly nextCursor: string | null
}

/** Which part of a list to fetch. */
export interface ListPart {
  /** How many items; all without it. */
  readonly limit?: number
  /** Where the part begins. */
  readonly cursor?: string
}

type FetchPage<T> = (request: PageRequest) => Promise<Page<T>>

const PAGE_ITEMS = 200

/** A part of a list, fetched page by page. A page of a search may be short before the end. */
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

/** The first items of a list, at most this many. */
export async function listItems<T>(
  fetchPage: FetchPage<T>,
  count = Infinity,
): Promise<readonly T[]> {
  return (await listPart(fetchPage, { limit: count })).data
}
