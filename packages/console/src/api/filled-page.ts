import type { Page } from './queries.ts'

/** The time limit for filling a page, so that the console shows its results within a second. */
const MAX_SEARCH_MS = 300

interface PageQuery {
  readonly limit: number
  readonly cursor?: string
}

/** The service scans a bounded part of a table for each response, so a full page may take several requests. */
export async function filledPage<Item>(
  { limit, cursor }: PageQuery,
  fetch: (query: PageQuery) => Promise<Page<Item>>,
): Promise<Page<Item>> {
  const until = performance.now() + MAX_SEARCH_MS
  const data: Item[] = []
  let nextCursor = cursor ?? null
  do {
    const next = nextCursor === null ? {} : { cursor: nextCursor }
    const page = await fetch({ limit: limit - data.length, ...next })
    data.push(...page.data)
    nextCursor = page.nextCursor
  } while (nextCursor !== null && data.length < limit && performance.now() < until)
  return { data, nextCursor }
}
