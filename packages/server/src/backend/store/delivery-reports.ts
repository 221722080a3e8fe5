import { type DeliveryClass, timeOfId } from '@hookline/protocol'
import {
  type DeliveryReports,
  type FailureGroup,
  type LaneId,
  MAX_COUNTED_FAILURES,
} from '../deliveries.ts'
import { CLASS_OF_PART, STATUS_OF_PART } from './deliveries.ts'
import { timeOf } from './rows.ts'
import { rawSql, sql, type Statement } from './sql.ts'
import type { Reads } from './store.ts'
import type { QueueName } from './stored-parts.ts'

/** The number of pending parts of a lane, earliest due first, that are searched for the oldest event. */
const MAX_PENDING = 20_000
/** The number of these parts whose retry windows are compared: those with the oldest events. */
const MAX_WINDOWS = 1_000

/** Selects deliveries that failed (and may be pending again) or ended without an attempt. An index has this condition. */
const FAILING = rawSql(
  `state <> 'delivered' AND (attempt_count > 0 OR state IN ('expired', 'quarantined'))`,
)

/** A retried delivery can still be declined. The condition of the index does not exclude this state. */
const FAILED = sql`${FAILING} AND state <> 'declined'`

interface Lanes {
  find(queue: QueueName, lane: LaneId): number | undefined | Promise<number | undefined>
}

export function storedDeliveryReports(reads: Reads, lanes: Lanes): DeliveryReports {
  return {
    async failures({ destinationId, isIncluded = () => true }) {
      const ids =
        destinationId === undefined
          ? (await failingDestinations(reads)).filter(isIncluded)
          : [destinationId]
      const groups: FailureGroup[] = []
      let isComplete = true
      for (const id of ids) {
        const [rows, [counted]] = await Promise.all([
          reads.list(groupsOf(reads, id)),
          reads.list(sql<{ readonly count: number }>`
            SELECT count(*) AS count FROM (
              SELECT 1 FROM deliveries WHERE ${FAILED} AND destination_id = ${id} LIMIT ${MAX_COUNTED_FAILURES + 1}) AS failing`),
        ])
        const isWhole = counted!.count <= MAX_COUNTED_FAILURES
        groups.push(...rows.map((row) => ({ ...groupOf(id, row), isComplete: isWhole })))
        isComplete &&= isWhole
      }
      return {
        groups: groups.toSorted((a, b) => b.count - a.count || b.lastSeenAt - a.lastSeenAt),
        isComplete,
      }
    },

    async waitingIn(lane) {
      const none = { oldestAt: undefined, firstDueAt: undefined, dueAt: undefined }
      const number = await lanes.find('deliveries', lane)
      if (number === undefined) return { pending: 0, held: 0, ...none }
      const pendingOf = (columns: string): Statement =>
        sql`SELECT ${rawSql(columns)} FROM waiting_parts WHERE lane = ${number} AND due_at IS NOT NULL`
      const [row] = await reads.lookUp(sql<WaitingRow>`
        SELECT ${reads.dialect.countWaiting(number, { areHeld: false })} AS pending,
          ${reads.dialect.countWaiting(number, { areHeld: true })} AS held,
          (${pendingOf('due_at')} ORDER BY due_at LIMIT 1) AS due_at`)
      const { pending, held, due_at: dueAt } = row!
      if (pending === 0) return { pending, held, ...none }
      const [oldest] = await reads.list(sql<OldestRow>`
        WITH oldest AS MATERIALIZED (
          SELECT delivery_id FROM (
            ${pendingOf('delivery_id')} ORDER BY due_at, delivery_id LIMIT ${MAX_PENDING}) AS longest
          ORDER BY delivery_id LIMIT ${MAX_WINDOWS})
        SELECT (SELECT min(delivery_id) FROM oldest) AS id,
          (SELECT min(CAST(part.value ->> 'firstDueAt' AS double precision))
            FROM oldest JOIN deliveries ON deliveries.id = oldest.delivery_id,
              ${reads.dialect.elements(sql`deliveries.webhooks`)} AS part
            WHERE CAST(part.value ->> 'lane' AS integer) = ${number}) AS first_due_at`)
      const { id, first_due_at: firstDueAt } = oldest!
      if (id === null) return { pending, held, ...none }
      const oldestAt = timeOfId(id)
      return {
        pending,
        held,
        oldestAt,
        firstDueAt: firstDueAt === null ? oldestAt : timeOf(firstDueAt),
        dueAt: dueAt ?? undefined,
      }
    },
  }
}

/** The destinations with failures, one index step each: SELECT DISTINCT would read every row. */
async function failingDestinations(reads: Reads): Promise<readonly string[]> {
  const rows = await reads.list(sql<{ readonly id: string }>`
    WITH RECURSIVE next (id) AS (
      SELECT min(destination_id) FROM deliveries WHERE ${FAILING}
      UNION ALL
      SELECT (SELECT min(destination_id) FROM deliveries WHERE ${FAILING} AND destination_id > next.id)
      FROM next WHERE next.id IS NOT NULL
    )
    SELECT id FROM next WHERE id IS NOT NULL`)
  return rows.map(({ id }) => id)
}

/**
 * `sample` starts with 1 if the response is stored, otherwise 0, then the id. So its maximum is the
 * newest delivery with a stored response, if there is one.
 */
function groupsOf({ dialect }: Reads, destinationId: string): Statement<GroupRow> {
  return sql<GroupRow>`
    WITH failing AS MATERIALIZED (
      SELECT id, state, first_due_at, webhooks FROM deliveries
      WHERE ${FAILED} AND destination_id = ${destinationId} ORDER BY id DESC LIMIT ${MAX_COUNTED_FAILURES}),
    with_body AS MATERIALIZED (
      SELECT DISTINCT delivery_id AS id FROM attempts WHERE delivery_id IN (SELECT id FROM failing) AND has_body),
    failures AS (
      SELECT failing.id AS id, ${rawSql(CLASS_OF_PART)} AS class, ${rawSql(STATUS_OF_PART)} AS status,
        CAST(COALESCE(part.value -> 'last' ->> 'startedAt', part.value ->> 'firstDueAt') AS double precision) AS at,
        part.value -> 'last' ->> 'error' AS error
      FROM failing, ${dialect.elements(sql`failing.webhooks`)} AS part
      WHERE part.value -> 'last' ->> 'outcome' NOT IN ('delivered', 'declined')
        OR (part.value -> 'last' IS NULL AND part.value ->> 'state' = 'expired')
      UNION ALL
      SELECT failing.id, 'quarantined', NULL, COALESCE(quarantine.at, first_due_at), quarantine.reason
      FROM failing LEFT JOIN quarantine ON quarantine.id = failing.id WHERE state = 'quarantined')
    SELECT class, status, count(DISTINCT failures.id) AS count, min(failures.id) AS first_id, max(at) AS last_seen,
      max(CASE WHEN with_body.id IS NULL THEN '0' ELSE '1' END || failures.id || ' ' || COALESCE(error, '')) AS sample
    FROM failures LEFT JOIN with_body ON with_body.id = failures.id GROUP BY class, status`
}

interface WaitingRow {
  readonly pending: number
  readonly held: number
  readonly due_at: number | null
}

interface OldestRow {
  readonly id: string | null
  readonly first_due_at: number | null
}

interface GroupRow {
  readonly class: DeliveryClass
  readonly status: number | null
  readonly count: number
  readonly first_id: string
  readonly last_seen: number
  readonly sample: string
}

function groupOf(destinationId: string, row: GroupRow): Omit<FailureGroup, 'isComplete'> {
  const sample = row.sample.slice(1)
  const space = sample.indexOf(' ')
  return {
    destinationId,
    class: row.class,
    status: row.status,
    count: row.count,
    firstSeenAt: timeOf(timeOfId(row.first_id)),
    lastSeenAt: timeOf(row.last_seen),
    sampleDeliveryId: sample.slice(0, space),
    lastError: sample.slice(space + 1) || null,
  }
}
