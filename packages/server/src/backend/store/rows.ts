import { idFrom, type IdPrefix, type Json } from '@hookline/protocol'
import type { Page } from '../page.ts'
import { joinSql, rawSql, sql, type Statement } from './sql.ts'

/** Conditions that columns have these values, each beginning with AND; `undefined` adds none. */
export function conditionsOf(
  values: Readonly<Record<string, string | number | boolean | undefined>>,
): Statement {
  const used = Object.entries(values).flatMap(([column, value]) =>
    value === undefined ? [] : [sql`AND ${rawSql(column)} = ${value}`],
  )
  return joinSql(used, ' ')
}

/** A filter without its empty strings, which mean no condition. */
export function withoutEmptyStrings<Filter extends object>(filter: Filter): Filter {
  const entries = Object.entries(filter).filter(([, value]) => value !== '')
  return Object.fromEntries(entries) as Filter
}

const NO_RANDOM_BITS = new Uint8Array(10)
/** Length of the prefix and the time. */
const BOUND_LENGTH = 14

/** Sorts before all ids of this time, in milliseconds since the epoch, and after all ids of earlier times. */
export function idBound(prefix: IdPrefix, ms: number): string {
  return idFrom(prefix, Math.max(0, ms), NO_RANDOM_BITS).slice(0, BOUND_LENGTH)
}

const LATEST_MS = 8.64e15

export function isTime(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= LATEST_MS
}

/** A stored time. A corrupt one becomes 0: the rest of its row is still worth showing. */
export function timeOf(value: unknown): number {
  return isTime(value) ? value : 0
}

export function timeOrNull(value: unknown): number | null {
  return value === null || value === undefined ? null : timeOf(value)
}

/** The page of the first `limit` rows. The caller selects `limit + 1`: the extra row means that there is a next page. */
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

/** The value in a column with JSON; `undefined` if it is empty or corrupt. */
export function parsedJson(stored: unknown): Json | undefined {
  if (typeof stored !== 'string') return undefined
  try {
    return JSON.parse(stored) as Json
  } catch {
    return undefined
  }
}
