import type { DatabaseSync } from 'node:sqlite'
import type { Row } from '../database/rows.ts'
import { classOfPart, readableWebhooks } from './delivery-sql.ts'

/** Failures of one destination that are counted: the newest. */
const MOST_FAILURES = 2_000

/** The condition on deliveries that failed, and may be pending again, or ended without an attempt. An index has it. */
export const FAILING =
  "state <> 'delivered' AND (rounds > 0 OR state IN ('expired', 'quarantined'))"

const KEPT_RESPONSE = `
  SELECT 1 FROM attempts WHERE delivery_id = failures.id
  AND CASE WHEN json_valid(document) THEN document ->> '$.body' IS NOT NULL END`

const newestFailing = (limit: number): string => `
  SELECT id, state, first_due_at, webhooks FROM deliveries
  WHERE ${FAILING} AND destination_id = ? ORDER BY id DESC LIMIT ${limit}`

// When a part without an attempt ended is not kept: its retry window began when it became due.
const FAILED_PARTS = `
  SELECT failing.id AS id, ${classOfPart('webhook.value')} AS class,
    webhook.value ->> '$.last.status' AS status,
    COALESCE(webhook.value ->> '$.last.startedAt', webhook.value ->> '$.firstDueAt') AS at,
    webhook.value ->> '$.last.error' AS error
  FROM failing, json_each(${readableWebhooks('failing')}) AS webhook
  WHERE webhook.value ->> '$.last.outcome' <> 'delivered'
    OR (webhook.value -> '$.last' IS NULL AND webhook.value ->> '$.state' = 'expired')`

const QUARANTINED = `
  SELECT failing.id, 'quarantined', NULL, COALESCE(quarantine.at, first_due_at), quarantine.reason
  FROM failing LEFT JOIN quarantine ON quarantine.id = failing.id WHERE state = 'quarantined'`

// `sample`: whether the response of a delivery was kept, its id and its error, in one text. Ids are equally long, so the largest
// text has the newest id of those with a response.
const GROUPS = `
  WITH failing AS MATERIALIZED (${newestFailing(MOST_FAILURES)}),
    failures AS (${FAILED_PARTS} UNION ALL ${QUARANTINED})
  SELECT class, status, COUNT(DISTINCT id) AS count, MIN(id) AS first_id, MAX(at) AS last_seen,
    MAX(EXISTS(${KEPT_RESPONSE}) || id || ' ' || COALESCE(error, '')) AS sample
  FROM failures GROUP BY class, status`

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
