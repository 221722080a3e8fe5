import type { SQLOutputValue } from 'node:sqlite'
import type { Page } from '../../page.ts'

export { isTime, timeOf, timeOrNull } from '../../store/rows.ts'

/** One row of a SELECT, by column. */
export type Row = Record<string, SQLOutputValue>

/** A nullable INTEGER column as a number. */
export function numberOrNull(value: SQLOutputValue | undefined): number | null {
  return value === null || value === undefined ? null : Number(value)
}

/**
 * The page of the first `limit` rows. The caller selects `limit + 1`: the extra row shows that there is a next
 * page. `key` is the column that the list is ordered by; the cursor is its value in the last row of the page.
 */
export function pageOf<T>(
  rows: readonly Row[],
  { limit, key }: { readonly limit: number; readonly key: string },
  itemOf: (row: Row) => T,
): Page<T> {
  const shown = rows.slice(0, limit)
  return {
    data: shown.map(itemOf),
    nextCursor: rows.length > limit ? String(shown.at(-1)![key]) : null,
  }
}
