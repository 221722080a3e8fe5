import { type DeliveryClass, timeOfId } from '@hookline/protocol'
import { sql } from 'kysely'
import type { FailureGroup } from '../../../deliveries.ts'
import type { Connection } from '../../postgres/postgres.ts'
import { fromText } from '../../postgres/text.ts'
import { CLASS_OF_PART } from './delivery-conditions.ts'

/** Failures of one destination that are counted: the newest. */
const MOST_FAILURES = 2_000

/** The condition on deliveries that failed, and may be pending again, or ended without an attempt. An index has it. */
const FAILING = sql`state <> 'delivered' AND (rounds > 0 OR state IN ('expired', 'quarantined'))`

interface GroupRow {
  readonly class: DeliveryClass
  readonly status: number | null
  readonly count: number
  readonly first_id: string
  readonly last_seen: number
  readonly sample: string
}

/** The destinations with failures: a step in the index for each, because SELECT DISTINCT would read every row. */
export async function failingDestinations(db: Connection): Promise<readonly string[]> {
  const { rows } = await sql<{ readonly id: string }>`
    WITH RECURSIVE next (id) AS (
      SELECT min(destination_id) FROM deliveries WHERE ${FAILING}
      UNION ALL
      SELECT (SELECT min(destination_id) FROM deliveries WHERE ${FAILING} AND destination_id > next.id)
      FROM next WHERE next.id IS NOT NULL
    )
    SELECT id FROM next WHERE id IS NOT NULL`.execute(db)
  return rows.map(({ id }) => id)
}

/** The failures of one destination in groups, and whether all of them were counted. */
export async function failuresOf(
  db: Connection,
  destinationId: string,
): Promise<{ readonly groups: readonly FailureGroup[]; readonly isComplete: boolean }> {
  const [{ rows: groups }, { rows: counts }] = await Promise.all([
    groupsOf(destinationId).execute(db),
    sql<{ readonly count: number }>`
      SELECT count(*) AS count FROM (
        SELECT 1 FROM deliveries WHERE ${FAILING} AND destination_id = ${destinationId}
        LIMIT ${MOST_FAILURES + 1}) AS counted`.execute(db),
  ])
  return {
    groups: groups.map((row) => groupOf(destinationId, row)),
    isComplete: counts[0]!.count <= MOST_FAILURES,
  }
}

/**
 * When a part without an attempt ended is not kept: its retry window began when it became due.
 *
 * `sample`: whether the response of a delivery was kept, its id and its error, in one text. Ids are equally long, so the largest
 * text has the newest id of those with a response.
 */
function groupsOf(destinationId: string) {
  return sql<GroupRow>`
    WITH failing AS MATERIALIZED (
      SELECT id, state, first_due_at, webhooks FROM deliveries
      WHERE ${FAILING} AND destination_id = ${destinationId} ORDER BY id DESC LIMIT ${MOST_FAILURES}),
    with_body AS MATERIALIZED (
      SELECT DISTINCT delivery_id AS id FROM attempts WHERE delivery_id IN (SELECT id FROM failing) AND has_body),
    failures AS (
      SELECT failing.id, ${CLASS_OF_PART} AS class, (part.value -> 'last' ->> 'status')::int AS status,
        COALESCE(part.value -> 'last' ->> 'startedAt', part.value ->> 'firstDueAt')::float8 AS at,
        part.value -> 'last' ->> 'error' AS error
      FROM failing, json_array_elements(failing.webhooks::json) AS part
      WHERE part.value -> 'last' ->> 'outcome' <> 'delivered'
        OR (part.value -> 'last' IS NULL AND part.value ->> 'state' = 'expired')
      UNION ALL
      SELECT failing.id, 'quarantined', NULL, COALESCE(quarantine.at, first_due_at), quarantine.reason
      FROM failing LEFT JOIN quarantine ON quarantine.id = failing.id WHERE state = 'quarantined')
    SELECT class, status, count(DISTINCT failures.id) AS count, min(failures.id) AS first_id, max(at) AS last_seen,
      max((CASE WHEN with_body.id IS NULL THEN '0' ELSE '1' END || failures.id || ' ' || COALESCE(error, ''))
        COLLATE "C") AS sample
    FROM failures LEFT JOIN with_body ON with_body.id = failures.id GROUP BY class, status`
}

function groupOf(destinationId: string, row: GroupRow): FailureGroup {
  const sample = row.sample.slice(1)
  const space = sample.indexOf(' ')
  return {
    destinationId,
    class: row.class,
    status: row.status,
    count: row.count,
    firstSeenAt: timeOfId(row.first_id),
    lastSeenAt: row.last_seen,
    sampleDeliveryId: sample.slice(0, space),
    lastError: fromText(sample.slice(space + 1)) || null,
  }
}
