import type { DatabaseSync } from 'node:sqlite'
import { readableWebhooks } from './delivery-sql.ts'

/** A delivery that is to become pending: again, or for the first time. */
export interface Requeued {
  readonly id: string
  readonly eventId: string
  readonly destinationId: string
  readonly now: number
  readonly replayId: string | null
}

/**
 * Prepares the function that makes a delivery pending, with no attempts and a new window, and returns whether it did.
 * It does so where the event is still in the archive, and the delivery is in one of `states` or does not exist yet.
 * Attempts made so far stay in its history. A webhook that took the delivery is not tried again, unless the
 * delivery as a whole was delivered. The engine gives it parts for the other webhooks.
 */
export function requeue(db: DatabaseSync, states: string): (delivery: Requeued) => boolean {
  const keepAttempts = db.prepare(
    `INSERT OR IGNORE INTO attempts
     SELECT deliveries.id, value ->> '$.last.id', json_set(value -> '$.last', '$.lane', value -> '$.lane')
     FROM deliveries, json_each(${readableWebhooks()})
     WHERE deliveries.id = ? AND state = 'delivered' AND value ->> '$.state' = 'delivered'`,
  )
  const upsert = db.prepare(
    `INSERT INTO deliveries
       (id, event_id, destination_id, state, rounds, first_due_at, due_at, webhooks, replay_id, is_waiting)
     SELECT ?1, id, ?3, 'pending', 0, ?4, ?4, '[]', ?5, 1 FROM events WHERE id = ?2
     ON CONFLICT (id) DO UPDATE SET
       state = 'pending', rounds = 0, replay_id = excluded.replay_id, is_waiting = 1,
       first_due_at = max(excluded.first_due_at, deliveries.first_due_at + 1), due_at = excluded.due_at,
       webhooks = CASE WHEN deliveries.state = 'delivered' THEN '[]' ELSE (
         SELECT json_group_array(json(value)) FROM json_each(${readableWebhooks()})
         WHERE value ->> '$.state' = 'delivered') END
     WHERE deliveries.state IN (${states})`,
  )
  const endQuarantine = db.prepare('DELETE FROM quarantine WHERE id = ?')
  return ({ id, eventId, destinationId, now, replayId }) => {
    keepAttempts.run(id)
    const isPending = upsert.run(id, eventId, destinationId, now, replayId).changes === 1
    if (isPending) endQuarantine.run(id)
    return isPending
  }
}
