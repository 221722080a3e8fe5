/**
 * The service looks through a bounded part of a table for each page, so a page may be short. For so long, further ones are asked
 * for. Then the person sees what was found, and decides whether to look on.
 */
const LOOKING_MS = 1_000

interface ShortPage<Item> {
  readonly data: readonly Item[]
  readonly nextCursor: string | null
}

/** Items of a list, and where the next ones begin; `null` where there are none. */
export interface FilledPage<Item> {
  readonly items: readonly Item[]
  readonly next: string | null
}

interface FilledPageOptions<Item> {
  readonly from: string | null
  readonly limit: number
  readonly fetch: (page: {
    readonly limit: number
    readonly cursor?: string
  }) => Promise<ShortPage<Item>>
}

/** One page of a list, made of short ones where few items match. */
export async function filledPage<Item>({
  from,
  limit,
  fetch,
}: FilledPageOptions<Item>): Promise<FilledPage<Item>> {
  const until = performance.now() + LOOKING_MS
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
