/** The webhooks of a delivery as JSON, `[]` where the column is damaged. `table` qualifies the column. */
export function readableWebhooks(table = 'deliveries'): string {
  const column = `${table}.webhooks`
  return `CASE WHEN json_valid(${column}) THEN ${column} ELSE '[]' END`
}

/**
 * The class of a part, whose JSON is `value`: that of its last attempt, or `not_attempted`. `NULL` for one that is yet to
 * be attempted.
 */
export function classOfPart(value = 'value'): string {
  return `COALESCE(${value} ->> '$.last.class', CASE ${value} ->> '$.state' WHEN 'expired' THEN 'not_attempted' END)`
}

/**
 * The destinations that have rows in `table` which meet `condition`, as `id`. Needs an index on `destination_id` with
 * that condition, and takes one step of it for each destination: SELECT DISTINCT would read every row.
 */
export function destinationsIn(table: 'deliveries' | 'notices', condition: string): string {
  return `
    WITH RECURSIVE next (id) AS (
      SELECT MIN(destination_id) FROM ${table} WHERE ${condition}
      UNION ALL
      SELECT (SELECT MIN(destination_id) FROM ${table} WHERE ${condition} AND destination_id > next.id)
      FROM next WHERE next.id IS NOT NULL
    )
    SELECT id FROM next WHERE id IS NOT NULL`
}
