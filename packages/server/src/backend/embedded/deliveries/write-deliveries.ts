import type { Delivery } from '@hookline/protocol'
import type { DatabaseSync } from 'node:sqlite'
import { recordRows, unholdRows } from './write-delivery-queue.ts'

/** What `recordDeliveries` writes of a delivery. */
type DeliveryRow = readonly [
  id: string,
  eventId: string,
  destinationId: string,
  state: string,
  rounds: number,
  firstDueAt: number,
  dueAt: number | null,
  webhooks: string,
  replayId: string | null,
]

export function deliveryRowOf(delivery: Delivery): DeliveryRow {
  const { id, eventId, destinationId, state, rounds, firstDueAt, dueAt, replayId } = delivery
  const progress = JSON.stringify(delivery.webhooks)
  const end = [firstDueAt, dueAt, progress, replayId ?? null] as const
  return [id, eventId, destinationId, state, rounds, ...end]
}

/** Keeps new deliveries, and updates those that have no end and are not further than the record. */
export function recordDeliveries(db: DatabaseSync): ReturnType<typeof recordRows> {
  return recordRows(
    db,
    `INSERT INTO deliveries
       (id, event_id, destination_id, state, rounds, first_due_at, due_at, webhooks, replay_id)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET
       state = excluded.state, rounds = excluded.rounds, due_at = excluded.due_at, webhooks = excluded.webhooks
     WHERE deliveries.state IN ('pending', 'held') AND deliveries.rounds <= excluded.rounds`,
  )
}

export function unholdDeliveries(db: DatabaseSync): ReturnType<typeof unholdRows> {
  return unholdRows(db, 'deliveries')
}
