import type { Page } from '../../page.ts'

/**
 * The page of the first `limit` rows. The caller selects `limit + 1`: the extra row shows that there is a next page.
 * `cursorOf` makes the cursor of the last row of the page.
 */
export function pageOf<Row, Item>(
  rows: readonly Row[],
  { limit, cursorOf }: { readonly limit: number; readonly cursorOf: (row: Row) => string },
  itemOf: (row: Row) => Item,
): Page<Item> {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  const isLast = rows.length <= limit || last === undefined
  return { data: shown.map(itemOf), nextCursor: isLast ? null : cursorOf(last) }
}
