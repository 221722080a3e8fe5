import type { Page } from './queries.ts'

/** The time limit for filling a page. After that, the user decides whether to continue. */
const MAX_SEARCH_MS = 1_000

export interface FilledPage<Item> {
  readonly items: readonly Item[]
  /** The cursor of the next page. */
  readonly next: string | null
}

interface FilledPageOptions<Item> {
  readonly from: string | null
  readonly limit: number
  readonly fetch: (page: {
    readonly limit: number
    readonly cursor?: string
  }) => Promise<Page<Item>>
}

/** The service scans a bounded part of a table for each response, so a full page may take several requests. */
export async function filledPage<Item>({
  from,
  limit,
  fetch,
}: FilledPageOptions<Item>): Promise<FilledPage<Item>> {
  const until = performance.now() + MAX_SEARCH_MS
  const items: Item[] = []
  let next = from
  do {
    const cursor = next === null ? {} : { cursor: next }
    const page = await fetch({ limit: limit - items.length, ...cursor })
    items.push(...page.data)
    next = page.nextCursor
  } while (next !== null && items.length < limit && performance.now() < until)
  return { items, next }
}
