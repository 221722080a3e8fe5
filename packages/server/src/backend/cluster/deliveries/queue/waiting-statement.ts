import { type RawBuilder, sql } from 'kysely'
import { isClaimable } from './live-nodes.ts'
import type { QueueName } from '../rows/postgres-lanes.ts'
import { UNSPLIT_LANES } from './queue-table.ts'

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
