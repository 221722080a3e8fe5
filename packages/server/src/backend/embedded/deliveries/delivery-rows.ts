import type { Attempt, Delivery, DeliveryPart, DeliveryState } from '@hookline/protocol'
import { isTime, type Row, timeOf, timeOrNull } from '../database/rows.ts'
import type { Statements } from '../database/statements.ts'
import type { StoredParts } from './stored-parts.ts'

/** Whether the times of a row of a queue are not damaged. */
export function hasReadableTimes(row: Row): boolean {
  return isTime(row['first_due_at']) && (row['due_at'] === null || isTime(row['due_at']))
}

/** The delivery of a row of `deliveries`, or of a row of `notices` with its deletion selected as `event_id`. */
export function deliveryOf(row: Row, webhooks: readonly DeliveryPart[]): Delivery {
  const replayId = row['replay_id']
  return {
    id: String(row['id']),
    eventId: String(row['event_id']),
    destinationId: String(row['destination_id']),
    state: row['state'] as DeliveryState,
    rounds: Number(row['rounds']),
    firstDueAt: timeOf(row['first_due_at']),
    dueAt: timeOrNull(row['due_at']),
    webhooks,
    ...(typeof replayId === 'string' && { replayId }),
  }
}

/** The rows of the failed attempts of a delivery. */
export function failedAttempts(statements: Statements, deliveryId: string): Row[] {
  return statements.all('SELECT document FROM attempts WHERE delivery_id = ?', [deliveryId])
}

/**
 * Every attempt of a delivery, oldest first: failed attempts have rows of their own, successful ones are in
 * `webhooks`. Damaged attempts are left out.
 */
export function attemptsOf(
  rows: readonly Row[],
  parts: StoredParts,
  { webhooks }: Pick<Delivery, 'webhooks'>,
): readonly Attempt[] {
  const failed = rows.flatMap(({ document }) => parts.attemptIn(document) ?? [])
  const delivered = webhooks.flatMap(({ last }) => (last?.outcome === 'delivered' ? [last] : []))
  return [...failed, ...delivered].toSorted((a, b) => a.startedAt - b.startedAt)
}
