import type { DatabaseSync } from 'node:sqlite'
import type { Row } from '../database/rows.ts'
import { readableWebhooks } from './delivery-sql.ts'

/** Failures of one destination that are counted: the newest. */
const MOST_FAILURES = 2_000

/** The condition on deliveries that failed, and may be pending again. An index has it. */
export const FAILING = "rounds > 0 AND state <> 'delivered'"

const KEPT_RESPONSE = `
  SELECT 1 FROM attempts WHERE delivery_id = failing.id
  AND CASE WHEN json_valid(document) THEN document ->> '$.body' IS NOT NULL END`

const newestFailing = (limit: number): string => `
  SELECT id, first_due_at, webhooks FROM deliveries
  WHERE ${FAILING} AND destination_id = ? ORDER BY id DESC LIMIT ${limit}`

// `sample`: whether the response of a delivery was kept, its id and its error, in one text. Ids are equally long, so the largest
// text has the newest id of those with a response.
const GROUPS = `
  SELECT webhook.value ->> '$.last.class' AS class, webhook.value ->> '$.last.status' AS status,
    COUNT(DISTINCT failing.id) AS count, MIN(first_due_at) AS first_seen,
    MAX(webhook.value ->> '$.last.startedAt') AS last_seen,
    MAX(EXISTS(${KEPT_RESPONSE}) || failing.id || ' ' || COALESCE(webhook.value ->> '$.last.error', '')) AS sample
  FROM (${newestFailing(MOST_FAILURES)}) AS failing, json_each(${readableWebhooks('failing')}) AS webhook
  WHERE webhook.value ->> '$.last.outcome' <> 'delivered'
  GROUP BY class, status`

/** The failures of one destination in groups, and whether all of them were counted. */
export function failuresOf(
  db: DatabaseSync,
): (destinationId: string) => { readonly groups: readonly Row[]; readonly isComplete: boolean } {
  const groups = db.prepare(GROUPS)
  const count = db.prepare(`SELECT COUNT(*) AS count FROM (${newestFailing(MOST_FAILURES + 1)})`)
  return (destinationId) => ({
    groups: groups.all(destinationId),
    isComplete: Number(count.get(destinationId)?.['count']) <= MOST_FAILURES,
  })
}
