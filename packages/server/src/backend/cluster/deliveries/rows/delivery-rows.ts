import type { Attempt, Delivery, DeliveryPart, DeliveryState } from '@hookline/protocol'
import { sql } from 'kysely'
import type { Connection } from '../../postgres/postgres.ts'
import type { StoredParts } from './stored-parts.ts'

/** The columns of a delivery, or of a notice with its deletion as `event_id`. */
export interface DeliveryRow {
  readonly delivery_id: string
  readonly event_id: string
  readonly destination_id: string
  readonly state: DeliveryState
  readonly rounds: number
  readonly first_due_at: number
  readonly due_at: number | null
  readonly webhooks: string
  readonly replay_id: string | null
}

/** The columns of a `DeliveryRow`. */
export const DELIVERY_COLUMNS = sql.raw(
  [
    'deliveries.id AS delivery_id',
    'deliveries.event_id',
    'deliveries.destination_id',
    'deliveries.state',
    'deliveries.rounds',
    'deliveries.first_due_at',
    'deliveries.due_at',
    'deliveries.webhooks',
    'deliveries.replay_id',
  ].join(', '),
)

export function deliveryOf(row: DeliveryRow, webhooks: readonly DeliveryPart[]): Delivery {
  return {
    id: row.delivery_id,
    eventId: row.event_id,
    destinationId: row.destination_id,
    state: row.state,
    rounds: row.rounds,
    firstDueAt: row.first_due_at,
    dueAt: row.due_at,
    webhooks,
    ...(row.replay_id !== null && { replayId: row.replay_id }),
  }
}

/** Documents of failed attempts, by delivery. */
export async function failedAttempts(
  db: Connection,
  deliveryIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (deliveryIds.length === 0) return new Map()
  const { rows } = await sql<{ readonly delivery_id: string; readonly document: string }>`
    SELECT delivery_id, document FROM attempts WHERE delivery_id = ANY(${deliveryIds}::text[])
    ORDER BY delivery_id, id`.execute(db)
  const byId = Map.groupBy(rows, (row) => row.delivery_id)
  return new Map([...byId].map(([id, each]) => [id, each.map(({ document }) => document)]))
}

/**
 * Every attempt of a delivery, oldest first: failed attempts have rows of their own, successful ones are in `webhooks`. Those
 * that cannot be read are left out.
 */
export function attemptsOf(
  documents: readonly string[],
  parts: StoredParts,
  { webhooks }: Pick<Delivery, 'webhooks'>,
): readonly Attempt[] {
  const failed = documents.flatMap((document) => parts.attemptIn(document) ?? [])
  const delivered = webhooks.flatMap(({ last }) => (last?.outcome === 'delivered' ? [last] : []))
  return [...failed, ...delivered].toSorted((a, b) => a.startedAt - b.startedAt)
}
