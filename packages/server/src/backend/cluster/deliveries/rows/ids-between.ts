import { type RawBuilder, sql } from 'kysely'

/**
 * The condition that an id is between the first and the last of these. It picks the partitions, for a join that looks up each of
 * them: with a list of all of them, PostgreSQL would look through the list for each one.
 */
export function isBetween(column: string, ids: readonly string[]): RawBuilder<boolean> {
  const sorted = ids.toSorted()
  const [first = '', last = ''] = [sorted[0], sorted.at(-1)]
  return sql<boolean>`${sql.ref(column)} BETWEEN ${first} AND ${last}`
}
