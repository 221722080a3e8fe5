import {
  type Attempt,
  type Carried,
  type Delivery,
  type DeliveryState,
  formatTimestamp,
  type WebhookProgress,
} from '@hookline/protocol'
import type { SQLOutputValue } from 'node:sqlite'

type Row = Record<string, SQLOutputValue>

/** A row of `notices` as a delivery. */
export function noticeDeliveryOf(row: Row, webhooks: readonly WebhookProgress[]): Delivery {
  return {
    id: String(row['id']),
    eventId: String(row['deletion_id']),
    destinationId: String(row['destination_id']),
    state: row['state'] as DeliveryState,
    rounds: Number(row['rounds']),
    firstDueAt: Number(row['first_due_at']),
    dueAt: row['due_at'] === null ? null : Number(row['due_at']),
    webhooks,
  }
}

/** What it carries. */
export function noticeOf(row: Row): Carried {
  const timestamp = formatTimestamp(Number(row['created_at']))
  const userId = String(row['user_id'])
  return {
    id: String(row['deletion_id']),
    sourceId: String(row['source_id']),
    event: { type: 'delete', userId, timestamp, receivedAt: timestamp },
  }
}

/** Every attempt there was: those that failed, and those that delivered, which the progress has. */
export function attemptsOf(
  webhooks: readonly WebhookProgress[],
  failed: readonly Attempt[],
): readonly Attempt[] {
  const delivered = webhooks
    .map(({ last }) => last)
    .filter(({ outcome }) => outcome === 'delivered')
  return [...failed, ...delivered].toSorted((a, b) => a.startedAt - b.startedAt)
}
