import { type RawBuilder, sql } from 'kysely'
import type { ClaimRequest } from '../../../deliveries.ts'
import type { HeldClaim } from './held-claims.ts'
import { isClaimable, isLive } from './live-nodes.ts'

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
