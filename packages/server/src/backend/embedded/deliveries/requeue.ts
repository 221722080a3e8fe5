import type { DatabaseSync } from 'node:sqlite'

/** A delivery that is to be pending again, or for the first time. */
export interface Requeued {
  readonly id: string
  readonly eventId: string
  readonly destinationId: string
  readonly now: number
  readonly replayId: string | null
}

/**
 * Makes a delivery pending with rounds and window anew, where its event is still there and it is in one
 * of `states`, or not there at all; says whether it did. What it had delivered so far stays in its
 * history. A webhook that took it is not tried again, unless the delivery as a whole was delivered.
 */
export function requeue(db: DatabaseSync, states: string): (delivery: Requeued) => boolean {
  const webhooks = "CASE WHEN json_valid(webhooks) THEN webhooks ELSE '[]' END"
  const keepAttempts = db.prepare(
    `INSERT OR IGNORE INTO attempts
     SELECT deliveries.id, value ->> '$.last.id', value -> '$.last' FROM deliveries, json_each(${webhooks})
     WHERE deliveries.id = ? AND state = 'delivered' AND value ->> '$.outcome' = 'delivered'`,
  )
  const upsert = db.prepare(
    `INSERT INTO deliveries
       (id, event_id, destination_id, state, rounds, first_due_at, due_at, webhooks, replay_id)
     SELECT ?1, id, ?3, 'pending', 0, ?4, ?4, '[]', ?5 FROM events WHERE id = ?2
     ON CONFLICT (id) DO UPDATE SET
       state = 'pending', rounds = 0, replay_id = excluded.replay_id,
       first_due_at = excluded.first_due_at, due_at = excluded.due_at,
       webhooks = CASE WHEN deliveries.state = 'delivered' THEN '[]' ELSE (
         SELECT json_group_array(json(value)) FROM json_each(${webhooks.replaceAll('webhooks', 'deliveries.webhooks')})
         WHERE value ->> '$.outcome' = 'delivered') END
     WHERE deliveries.state IN (${states})`,
  )
  const release = db.prepare('DELETE FROM quarantine WHERE id = ?')
  return ({ id, eventId, destinationId, now, replayId }) => {
    keepAttempts.run(id)
    const isPending = upsert.run(id, eventId, destinationId, now, replayId).changes === 1
    if (isPending) release.run(id)
    return isPending
  }
}
