import { type RawBuilder, sql } from 'kysely'
import type { ClaimRequest } from '../../../deliveries.ts'
import type { QueueName } from '../../../store/stored-parts.ts'
import { UNSPLIT_LANES } from '../../../store/waiting-parts.ts'
import type { HeldClaim } from './held-claims.ts'

/** A part that is claimed now. */
export interface ClaimedRow extends HeldClaim {
  readonly due_at: number | null
}

interface Claiming extends ClaimRequest {
  readonly lane: number
  readonly node: string
}

/**
 * Claims parts of a lane, in one statement. Parts that another transaction works on are left out, so nodes that claim at the
 * same moment get different ones.
 *
 * The other parts of these deliveries are locked as well, and looked at again: another node may claim one of them at this
 * moment. Where two nodes do so, neither gets the delivery, and both find it when they look again.
 */
export function claimStatement({ lane, node, due, limit }: Claiming): RawBuilder<ClaimedRow> {
  const ofOthers = sql`waits.delivery_id = free.delivery_id AND waits.lane <> ${lane}`
  return sql<ClaimedRow>`
    WITH free AS MATERIALIZED (
      SELECT waits.delivery_id FROM waiting_parts AS waits
      WHERE waits.lane = ${lane} AND ${isDue(due)} AND ${isClaimable(node)}
      ORDER BY waits.due_at, waits.delivery_id LIMIT ${limit} FOR UPDATE OF waits SKIP LOCKED),
    others AS MATERIALIZED (
      SELECT locked.* FROM free CROSS JOIN LATERAL (
        SELECT waits.delivery_id, waits.claimed_by FROM waiting_parts AS waits WHERE ${ofOthers}
        FOR UPDATE SKIP LOCKED) AS locked),
    claimable AS MATERIALIZED (
      SELECT delivery_id FROM free WHERE
        (SELECT count(*) FROM waiting_parts AS waits WHERE ${ofOthers})
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

/** Those that are due the longest first, as they were claimed. */
export function byDueAt(a: ClaimedRow, b: ClaimedRow): number {
  return (a.due_at ?? 0) - (b.due_at ?? 0) || (a.id < b.id ? -1 : 1)
}

/** A lane in which something waits: when the next part is due that can be claimed, and whether parts are held. */
export interface WaitingRow {
  readonly number: number
  readonly due_at: number | null
  readonly is_held: boolean
}

/** What waits, lane by lane. Each lane is a few steps in an index, however much waits in it. */
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

/** The condition that a column names a node that is alive. */
export function isLive(column: string): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(column)} IN (SELECT id FROM claiming_nodes WHERE until > clock_timestamp())`
}

/**
 * The condition that `node` can claim a part, a row `waits`. Nobody who is alive has it, nor another part of its delivery: a
 * record is of the whole delivery, so all claims of a delivery are of one node.
 */
function isClaimable(node: string): RawBuilder<boolean> {
  return sql<boolean>`(waits.claimed_by IS NULL OR NOT (waits.claimed_by = ${node} OR ${isLive('waits.claimed_by')}))
    AND NOT EXISTS (
      SELECT 1 FROM waiting_parts AS other
      WHERE other.delivery_id = waits.delivery_id AND other.lane <> waits.lane
        AND other.claimed_by <> ${node} AND ${isLive('other.claimed_by')})`
}
