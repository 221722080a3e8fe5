import { type RawBuilder, sql } from 'kysely'

/** The condition that a column names a node that is alive. */
export function isLive(column: string): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(column)} IN (SELECT id FROM claiming_nodes WHERE until > clock_timestamp())`
}

/**
 * The condition that `node` can claim a part, a row `waits`. Nobody who is alive has it, nor another part of its delivery: a
 * record is of the whole delivery, so all claims of a delivery are of one node.
 */
export function isClaimable(node: string): RawBuilder<boolean> {
  return sql<boolean>`(waits.claimed_by IS NULL OR NOT (waits.claimed_by = ${node} OR ${isLive('waits.claimed_by')}))
    AND NOT EXISTS (
      SELECT 1 FROM waiting_parts AS other
      WHERE other.delivery_id = waits.delivery_id AND other.lane <> waits.lane
        AND other.claimed_by <> ${node} AND ${isLive('other.claimed_by')})`
}
