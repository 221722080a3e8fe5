import type { DeliveryState } from '@hookline/protocol'
import { type RawBuilder, sql, type Transaction } from 'kysely'
import { isBetween } from '../rows/ids-between.ts'
import { storedPartsIn } from '../rows/stored-parts.ts'
import { UNSPLIT_LANES } from './queue-table.ts'

export interface Requeuing {
  readonly deliveries: readonly { readonly id: string; readonly eventId: string }[]
  /** Of deliveries that do not exist yet. */
  readonly destinationId: string
  /** A delivery in another state stays as it is. */
  readonly states: readonly DeliveryState[]
  readonly now: number
  readonly replayId: string | null
}

interface KeptRow {
  readonly id: string
  readonly state: DeliveryState
  readonly webhooks: string
}

/** An attempt that `webhooks` will not have any more. */
interface EndedAttempt {
  readonly deliveryId: string
  readonly id: string
  readonly document: string
}

/**
 * Makes deliveries pending, with no attempts and a new window, and returns how many. It does so where the event is still in the
 * archive, and the delivery is in one of `states` or does not exist yet. Attempts made so far stay in its history. A webhook
 * that took the delivery is not tried again, unless the delivery as a whole was delivered. The engine gives it parts for the
 * other webhooks. Whoever had claimed a part has lost it.
 */
export async function requeueDeliveries(
  transaction: Transaction<unknown>,
  { deliveries, states, ...change }: Requeuing,
): Promise<number> {
  const kept = await lockKept(
    transaction,
    deliveries.map(({ id }) => id),
  )
  const given = deliveries.flatMap(({ id, eventId }) => {
    const row = kept.get(id)
    if (row === undefined) return { id, eventId, webhooks: '[]', isNew: true }
    return states.includes(row.state) ? { id, eventId, webhooks: leftOf(row), isNew: false } : []
  })
  const attempts = given.flatMap(({ id }) => endedAttempts(kept.get(id)))
  const { rows } = await requeue(given, attempts, change).execute(transaction)
  return rows.length
}

async function lockKept(
  transaction: Transaction<unknown>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, KeptRow>> {
  const { rows } = await sql<KeptRow>`
    SELECT id, state, webhooks FROM deliveries WHERE id = ANY(${ids}::text[]) ORDER BY id FOR UPDATE`.execute(
    transaction,
  )
  return new Map(rows.map((row) => [row.id, row]))
}

/** The column `webhooks` of the requeued delivery. */
function leftOf({ state, webhooks }: KeptRow): string {
  const parts = state === 'delivered' ? [] : (storedPartsIn(webhooks) ?? [])
  return JSON.stringify(parts.filter((part) => part.state === 'delivered'))
}

function endedAttempts(row: KeptRow | undefined): readonly EndedAttempt[] {
  if (row?.state !== 'delivered') return []
  return (storedPartsIn(row.webhooks) ?? []).flatMap(({ state, lane, last }) =>
    state === 'delivered' && last !== undefined
      ? { deliveryId: row.id, id: last.id, document: JSON.stringify({ lane, ...last }) }
      : [],
  )
}

function requeue(
  given: readonly {
    readonly id: string
    readonly eventId: string
    readonly webhooks: string
    readonly isNew: boolean
  }[],
  attempts: readonly EndedAttempt[],
  { destinationId, now, replayId }: Pick<Requeuing, 'destinationId' | 'now' | 'replayId'>,
): RawBuilder<{ readonly id: string }> {
  const [ids, eventIds] = [given.map(({ id }) => id), given.map(({ eventId }) => eventId)]
  return sql<{ readonly id: string }>`
    WITH given AS MATERIALIZED (
      SELECT * FROM unnest(${ids}::text[], ${eventIds}::text[], ${given.map(({ webhooks }) => webhooks)}::text[],
        ${given.map(({ isNew }) => isNew)}::bool[]) AS given (id, event_id, webhooks, is_new)),
    archived AS MATERIALIZED (
      SELECT id FROM events WHERE id = ANY(${eventIds}::text[]) ORDER BY id FOR KEY SHARE),
    updated AS (
      UPDATE deliveries SET state = 'pending', rounds = 0, replay_id = ${replayId}::text, is_waiting = true, due_at = ${now},
        first_due_at = greatest(${now}, deliveries.first_due_at + 1), webhooks = given.webhooks
      FROM given JOIN archived ON archived.id = given.event_id
      WHERE deliveries.id = given.id AND ${isBetween('deliveries.id', ids)} AND NOT given.is_new RETURNING deliveries.id),
    inserted AS (
      INSERT INTO deliveries
        (id, event_id, destination_id, state, rounds, first_due_at, due_at, webhooks, replay_id, is_waiting)
      SELECT given.id, event_id, ${destinationId}, 'pending', 0, ${now}, ${now}, webhooks, ${replayId}::text, true
      FROM given JOIN archived ON archived.id = given.event_id WHERE is_new
      ON CONFLICT (id) DO NOTHING RETURNING id),
    pending AS (SELECT id FROM updated UNION ALL SELECT id FROM inserted),
    ended AS (
      DELETE FROM waiting_parts USING pending
      WHERE delivery_id = pending.id AND lane <> ${UNSPLIT_LANES.deliveries}),
    waiting AS (
      INSERT INTO waiting_parts (queue, lane, delivery_id, due_at, fence)
      SELECT 'deliveries', ${UNSPLIT_LANES.deliveries}::int, id, ${now}, nextval('fences') FROM pending
      ON CONFLICT (delivery_id, lane) DO UPDATE
        SET due_at = excluded.due_at, claimed_by = NULL, fence = excluded.fence),
    history AS (
      INSERT INTO attempts (delivery_id, id, document, has_body)
      SELECT delivery_id, attempt.id, document, false
      FROM unnest(${attempts.map(({ deliveryId }) => deliveryId)}::text[], ${attempts.map(({ id }) => id)}::text[],
        ${attempts.map(({ document }) => document)}::text[]) AS attempt (delivery_id, id, document)
      JOIN pending ON pending.id = delivery_id ON CONFLICT (delivery_id, id) DO NOTHING),
    resumed AS (DELETE FROM quarantine USING pending WHERE quarantine.id = pending.id)
    SELECT id FROM pending`
}
