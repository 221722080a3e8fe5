import { type RawBuilder, sql } from 'kysely'
import { quarantineItems, type QuarantineRows } from '../../../store/quarantine.ts'
import { sql as statement } from '../../../store/sql.ts'
import type { Tx } from '../../../store/store.ts'

/** Rows that share the ends of a replay: a record waits for another one only where both take the same slot. */
const SLOTS = 16

/**
 * A query of a WITH clause: counts how deliveries of replays that are kept have ended. `changed` has them with `replay_id`, `state`, and
 * `before`, the state that they were in.
 */
export function countReplayEnds(changed: string): RawBuilder<unknown> {
  const slot = Math.floor(Math.random() * SLOTS)
  return sql`
    INSERT INTO replay_ends AS ends
    SELECT replay_id, ${slot}::int, count(*) FILTER (WHERE state = 'delivered'), count(*) FILTER (WHERE state <> 'delivered')
    FROM ${sql.table(changed)}
    WHERE replay_id IN (SELECT id FROM replays) AND before IN ('pending', 'held') AND state NOT IN ('pending', 'held')
    GROUP BY replay_id ORDER BY replay_id
    ON CONFLICT (replay_id, slot) DO UPDATE
      SET delivered = ends.delivered + excluded.delivered, failed = ends.failed + excluded.failed`
}

/** As `quarantineItems`. Deliveries of replays that it ends are counted as failed. */
export async function quarantineAndCount(tx: Tx, rows: QuarantineRows): Promise<void> {
  const ids = rows.items.map(({ id }) => id)
  await tx.run(statement`
    WITH open AS MATERIALIZED (
      SELECT replay_id FROM deliveries WHERE id = ANY(${ids}::text[]) AND state IN ('pending', 'held')
        AND replay_id IN (SELECT id FROM replays) ORDER BY id FOR UPDATE OF deliveries)
    INSERT INTO replay_ends AS ends SELECT replay_id, 0, 0, count(*) FROM open GROUP BY replay_id ORDER BY replay_id
    ON CONFLICT (replay_id, slot) DO UPDATE SET failed = ends.failed + excluded.failed`)
  await quarantineItems(tx, rows)
}
