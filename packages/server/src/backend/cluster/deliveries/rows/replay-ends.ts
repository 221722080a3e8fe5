import { type RawBuilder, sql } from 'kysely'

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
