import type { DeliveryContent } from '@hookline/protocol'
import { type RawBuilder, sql } from 'kysely'
import type { ClaimRequest, RecordedDelivery } from '../../deliveries.ts'
import type { DeliveryRow } from '../../store/deliveries.ts'
import { type QueueName, type StoredParts, UNSPLIT_LANES } from '../../store/stored-parts.ts'
import { arrays } from '../postgres/arrays.ts'
import { claimRows, type OwnClaim, isStillClaimed } from './claims.ts'
import type { StoredRecord, QueueTable } from './queue-tables.ts'

/** `claimed`: this node now has the part. `missed`: the delivery does not exist, or was inserted concurrently. */
interface RecordedRow extends OwnClaim {
  readonly kind: 'claimed' | 'missed'
}

interface Recording {
  readonly records: readonly RecordedDelivery[]
  readonly node: string
  /** The presumed claims of this node on these deliveries. */
  readonly held: readonly OwnClaim[]
}

/**
 * Records deliveries in one statement. A delivery with a part claimed by another node is `refused`: an expired node changes only
 * the history of attempts. Deliveries are locked before parts. Separate lookups avoid a scan if statistics are wrong.
 */
export function recordStatement<E extends DeliveryContent, Row extends DeliveryRow>(
  { name, write }: QueueTable<E, Row>,
  parts: StoredParts,
  { records, node, held }: Recording,
): RawBuilder<RecordedRow> {
  const table = sql.table(name)
  const stored = records.map(({ delivery }): StoredRecord => ({
    delivery,
    webhooks: parts.textOf(delivery),
  }))
  const ids = records.map(({ delivery }) => delivery.id)
  return sql<RecordedRow>`
    WITH part AS MATERIALIZED (${waitingParts(records, parts)}),
    held AS MATERIALIZED (${claimRows(held)}),
    kept AS MATERIALIZED (
      SELECT id, state, attempt_count, first_due_at FROM ${table} WHERE id = ANY(${arrays.texts(ids)}) ORDER BY id FOR UPDATE),
    waited AS MATERIALIZED (
      SELECT waits.* FROM kept CROSS JOIN LATERAL (
        SELECT delivery_id, lane, claimed_by, fence FROM waiting_parts WHERE delivery_id = kept.id
        ORDER BY lane FOR UPDATE) AS waits),
    refused AS MATERIALIZED (
      SELECT delivery_id AS id FROM waited WHERE claimed_by <> ${node} AND ${isLive('claimed_by')}
      UNION SELECT delivery_id FROM held WHERE NOT EXISTS (
        SELECT 1 FROM waited WHERE waited.delivery_id = held.delivery_id AND waited.lane = held.lane
          AND waited.fence = held.fence AND (waited.claimed_by IS NULL OR waited.claimed_by = ${node}))),
    ${write(stored)},
    ended AS (
      DELETE FROM waiting_parts AS waits USING written
      WHERE waits.delivery_id = written.id AND NOT EXISTS (
        SELECT 1 FROM part WHERE part.delivery_id = waits.delivery_id AND part.lane = waits.lane)),
    waiting AS (
      INSERT INTO waiting_parts AS waits (queue, lane, delivery_id, due_at, claimed_by, fence)
      SELECT ${name}, part.lane, part.delivery_id, part.due_at,
        CASE WHEN part.is_claimed THEN ${node} END, nextval('fences')
      FROM part JOIN written ON written.id = part.delivery_id
      ON CONFLICT (delivery_id, lane) DO UPDATE SET due_at = excluded.due_at, claimed_by = excluded.claimed_by,
        fence = CASE WHEN waits.claimed_by = ${node} OR (waits.claimed_by IS NULL AND excluded.claimed_by IS NULL)
          THEN waits.fence ELSE excluded.fence END
      RETURNING delivery_id, lane, claimed_by, fence),
    freed AS (
      UPDATE waiting_parts AS waits SET claimed_by = NULL FROM held
      WHERE ${isStillClaimed(node)} AND held.delivery_id NOT IN (SELECT id FROM written)),
    attempted AS (${keepAttempts(records, parts)})
    SELECT 'claimed' AS kind, delivery_id AS id, lane, fence FROM waiting WHERE claimed_by = ${node}
    UNION ALL SELECT 'missed', id, 0, 0 FROM unnest(${arrays.texts(ids)}) AS input (id)
      WHERE id NOT IN (SELECT id FROM kept) AND id NOT IN (SELECT id FROM written)`
}

function waitingParts(
  records: readonly RecordedDelivery[],
  parts: StoredParts,
): RawBuilder<unknown> {
  const rows = records.flatMap(({ delivery: { id, destinationId, webhooks }, claimed = [] }) =>
    webhooks
      .filter(({ state }) => state === 'pending' || state === 'held')
      .map(({ url, dueAt }) => {
        const lane = parts.laneOf(destinationId, url)
        return { id, lane, dueAt, isClaimed: claimed.includes(url) }
      }),
  )
  return sql`SELECT * FROM unnest(
    ${arrays.texts(rows.map(({ id }) => id))}, ${arrays.ints(rows.map(({ lane }) => lane))},
    ${arrays.bigints(rows.map(({ dueAt }) => dueAt))}, ${arrays.booleans(rows.map(({ isClaimed }) => isClaimed))}
  ) AS part (delivery_id, lane, due_at, is_claimed)`
}

/**
 * Successful attempts are in `webhooks` of the delivery, and have a row in `attempts` only if they
 * have a response body.
 */
function keepAttempts(
  records: readonly RecordedDelivery[],
  parts: StoredParts,
): RawBuilder<unknown> {
  const rows = records.flatMap(({ delivery: { id, destinationId }, attempts }) =>
    attempts
      .filter(({ outcome, body }) => outcome !== 'delivered' || body !== undefined)
      .map((attempt) => {
        const document = parts.attemptText(destinationId, attempt)
        return { id, attempt: attempt.id, document, hasBody: attempt.body !== undefined }
      }),
  )
  return sql`
    INSERT INTO attempts (delivery_id, id, document, has_body)
    SELECT * FROM unnest(
      ${arrays.texts(rows.map(({ id }) => id))}, ${arrays.texts(rows.map(({ attempt }) => attempt))},
      ${arrays.texts(rows.map(({ document }) => document))}, ${arrays.booleans(rows.map(({ hasBody }) => hasBody))}
    ) AS attempt (delivery_id, id, document, has_body)
    WHERE delivery_id IN (SELECT id FROM kept) OR delivery_id IN (SELECT id FROM written)
    ON CONFLICT (delivery_id, id) DO NOTHING`
}

interface ClaimedRow extends OwnClaim {
  readonly due_at: number | null
}

interface Claiming extends ClaimRequest {
  readonly lane: number
  readonly node: string
}

/**
 * Claims parts of a lane in one statement, skipping locked ones. The other parts of these deliveries are locked and checked again,
 * because another node may be claiming one.
 */
export function claimStatement({ lane, node, due, limit }: Claiming): RawBuilder<ClaimedRow> {
  const isOtherLane = sql`waits.delivery_id = free.delivery_id AND waits.lane <> ${lane}`
  return sql<ClaimedRow>`
    WITH free AS MATERIALIZED (
      SELECT waits.delivery_id FROM waiting_parts AS waits
      WHERE waits.lane = ${lane} AND ${isDue(due)} AND ${isClaimable(node)}
      ORDER BY waits.due_at, waits.delivery_id LIMIT ${limit} FOR UPDATE OF waits SKIP LOCKED),
    others AS MATERIALIZED (
      SELECT locked.* FROM free CROSS JOIN LATERAL (
        SELECT waits.delivery_id, waits.claimed_by FROM waiting_parts AS waits WHERE ${isOtherLane}
        FOR UPDATE SKIP LOCKED) AS locked),
    claimable AS MATERIALIZED (
      SELECT delivery_id FROM free WHERE
        (SELECT count(*) FROM waiting_parts AS waits WHERE ${isOtherLane})
          = (SELECT count(*) FROM others WHERE others.delivery_id = free.delivery_id
            AND (claimed_by IS NULL OR claimed_by = ${node} OR NOT ${isLive('claimed_by')})))
    UPDATE waiting_parts AS waits SET claimed_by = ${node}, fence = nextval('fences') FROM claimable
    WHERE waits.lane = ${lane} AND waits.delivery_id = claimable.delivery_id
    RETURNING waits.delivery_id AS id, waits.lane, waits.due_at, waits.fence`
}

function isDue(due: ClaimRequest['due']): RawBuilder<boolean> {
  if (due === 'held') return sql<boolean>`waits.due_at IS NULL`
  if (typeof due === 'number') return sql<boolean>`waits.due_at <= ${due}`
  return sql<boolean>`waits.due_at > ${due.after}`
}

/** Earliest due first. */
export function byDueAt(a: ClaimedRow, b: ClaimedRow): number {
  return (a.due_at ?? 0) - (b.due_at ?? 0) || (a.id < b.id ? -1 : 1)
}

/** A lane with waiting parts: when the next claimable part is due, and whether parts are held. */
interface WaitingRow {
  readonly number: number
  readonly due_at: number | null
  readonly is_held: boolean
}

/** The lanes with waiting parts. Takes a few index steps for each lane. */
export function waitingStatement(queue: QueueName, node: string): RawBuilder<WaitingRow> {
  const inLane = sql`FROM waiting_parts AS waits WHERE waits.lane = lane.number`
  return sql<WaitingRow>`
    SELECT * FROM (
      SELECT lane.number,
        (SELECT due_at ${inLane} AND due_at IS NOT NULL AND ${isClaimable(node)}
          ORDER BY due_at, delivery_id LIMIT 1) AS due_at,
        EXISTS (SELECT 1 ${inLane} AND due_at IS NULL) AS is_held
      FROM (SELECT number FROM lanes WHERE queue = ${queue} UNION ALL SELECT ${UNSPLIT_LANES[queue]}::int) AS lane
    ) AS lanes WHERE due_at IS NOT NULL OR is_held`
}

/** The condition that a column names a live node. */
function isLive(column: string): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(column)} IN (SELECT id FROM claiming_nodes WHERE until > clock_timestamp())`
}

/**
 * Whether `node` can claim a row `waits`: no other live node has claimed a part of its delivery.
 */
function isClaimable(node: string): RawBuilder<boolean> {
  return sql<boolean>`(waits.claimed_by IS NULL OR NOT (waits.claimed_by = ${node} OR ${isLive('waits.claimed_by')}))
    AND NOT EXISTS (
      SELECT 1 FROM waiting_parts AS other
      WHERE other.delivery_id = waits.delivery_id AND other.lane <> waits.lane
        AND other.claimed_by <> ${node} AND ${isLive('other.claimed_by')})`
}
