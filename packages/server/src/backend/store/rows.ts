import type { Page } from '../page.ts'
import { joinSql, rawSql, sql, type Statement } from './sql.ts'

/** Conditions that columns have these values, each beginning with AND; none for `undefined`. */
export function conditionsOf(
  values: Readonly<Record<string, string | number | undefined>>,
): Statement {
  const used = Object.entries(values).flatMap(([column, value]) =>
    value === undefined ? [] : [sql`AND ${rawSql(column)} = ${value}`],
  )
  return joinSql(used, ' ')
}

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
