import type { SQLOutputValue } from 'node:sqlite'
import type { Page } from '../../page.ts'

/** One row of a SELECT, by column. */
export type Row = Record<string, SQLOutputValue>

/** The value of a JSON column, or `undefined` where the text is damaged and no longer JSON. */
export function readJson(text: unknown): unknown {
  try {
    return JSON.parse(String(text)) as unknown
  } catch {
    return undefined
  }
}

/** A nullable INTEGER column as a number. */
export function numberOrNull(value: SQLOutputValue | undefined): number | null {
  return value === null || value === undefined ? null : Number(value)
}

/** The largest time of a Date, in milliseconds since the epoch. */
const LATEST_MS = 8.64e15

/** Whether a stored value is a time that can be shown. */
export function isTime(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= LATEST_MS
}

/** A column with a time. A damaged time becomes 0, the epoch: the rest of its row is still worth showing. */
export function timeOf(value: SQLOutputValue | undefined): number {
  return isTime(value) ? value : 0
}

/** A nullable column with a time. */
export function timeOrNull(value: SQLOutputValue | undefined): number | null {
  return value === null || value === undefined ? null : timeOf(value)
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
