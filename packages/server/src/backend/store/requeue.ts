import type { DeliveryState } from '@hookline/protocol'
import { sql } from './sql.ts'
import type { Tx } from './store.ts'
import { storedJson, storedPartsIn } from './stored-parts.ts'
import { waitForParts } from './waiting-parts.ts'

interface Requeuing {
  readonly deliveries: readonly { readonly id: string; readonly eventId: string }[]
  /** Of deliveries that do not exist yet. */
  readonly destinationId: string
  /** A delivery in another state stays as it is. */
  readonly states: readonly DeliveryState[]
  readonly now: number
  readonly replayId: string | null
}

interface EndedRow {
  readonly id: string
  readonly state: DeliveryState
  readonly webhooks: string
}

/**
 * Makes deliveries pending, with no attempts and a new window, and resolves to their number. It does so if the event is still in
 * the archive, and the delivery is in one of `states` or does not exist yet. Attempts made so far stay in its history. A webhook
 * that took the delivery is not tried again, unless the delivery as a whole was delivered. The engine gives it parts for the
 * other webhooks. All claims of it end.
 */
export async function requeueDeliveries(
  tx: Tx,
  { deliveries, destinationId, states, now, replayId }: Requeuing,
): Promise<number> {
  const { dialect } = tx
  const eventIds = deliveries.map(({ eventId }) => eventId)
  // First, as purges do. Locked, so that a purge finds the new deliveries.
  const archived = await tx.all(sql<{ readonly id: string }>`
    SELECT id FROM events WHERE id ${dialect.among(eventIds)} ORDER BY id ${dialect.forKeyShare}`)
  const kept = new Set(archived.map(({ id }) => id))
  const wanted = deliveries.filter(({ eventId }) => kept.has(eventId))
  const ids = wanted.map(({ id }) => id)
  const given = dialect.given({
    id: ['text', ids],
    event_id: ['text', wanted.map(({ eventId }) => eventId)],
  })
  const created = await tx.all(sql<{ readonly id: string }>`
    INSERT INTO deliveries
      (id, event_id, destination_id, state, rounds, first_due_at, due_at, webhooks, replay_id, is_waiting)
    SELECT id, event_id, ${destinationId}, 'pending', 0, ${now}, ${now}, '[]', ${replayId}, true
    FROM ${given} ORDER BY id ON CONFLICT (id) DO NOTHING RETURNING id`)
  const isNew = new Set(created.map(({ id }) => id))
  const rows = await tx.all(sql<EndedRow>`
    SELECT id, state, webhooks FROM deliveries WHERE id ${dialect.among(ids)}
    ORDER BY id ${dialect.forUpdate}`)
  const ended = rows.filter(({ id, state }) => !isNew.has(id) && states.includes(state))
  // Nearly all are left without webhooks.
  for (const [webhooks, alike] of Map.groupBy(ended, webhooksLeftOf))
    await tx.run(sql`
      UPDATE deliveries SET state = 'pending', rounds = 0, replay_id = ${replayId}, is_waiting = true, due_at = ${now},
        first_due_at = CASE WHEN first_due_at < ${now} THEN ${now} ELSE first_due_at + 1 END, webhooks = ${webhooks}
      WHERE id ${dialect.among(alike.map(({ id }) => id))}`)
  await keepLastAttempts(tx, ended)
  const pending = [...isNew, ...ended.map(({ id }) => id)]
  await waitForParts(tx, 'deliveries', pending)
  await tx.run(sql`DELETE FROM quarantine WHERE id ${dialect.among(pending)}`)
  return pending.length
}

/** The column `webhooks` of the requeued delivery. */
function webhooksLeftOf({ state, webhooks }: EndedRow): string {
  const parts = state === 'delivered' ? [] : (storedPartsIn(webhooks) ?? [])
  return storedJson(parts.filter((part) => part.state === 'delivered'))
}

/** Keeps the attempts that `webhooks` will not have any more. */
async function keepLastAttempts(tx: Tx, rows: readonly EndedRow[]): Promise<void> {
  const attempts = rows
    .filter(({ state }) => state === 'delivered')
    .flatMap(({ id, webhooks }) =>
      (storedPartsIn(webhooks) ?? []).flatMap(({ state, lane, last }) =>
        state === 'delivered' && last !== undefined
          ? { deliveryId: id, id: last.id, document: storedJson({ lane, ...last }) }
          : [],
      ),
    )
  if (attempts.length === 0) return
  const given = tx.dialect.given({
    delivery_id: ['text', attempts.map(({ deliveryId }) => deliveryId)],
    id: ['text', attempts.map(({ id }) => id)],
    document: ['text', attempts.map(({ document }) => document)],
  })
  await tx.run(sql`
    INSERT INTO attempts (delivery_id, id, has_body, document)
    SELECT delivery_id, id, false, document FROM ${given} WHERE true
    ON CONFLICT (delivery_id, id) DO NOTHING`)
}
