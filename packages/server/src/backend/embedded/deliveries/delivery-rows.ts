import type { Attempt, Delivery, DeliveryState, WebhookProgress } from '@hookline/protocol'
import { numberOrNull, readJson, type Row } from '../database/rows.ts'
import type { Statements } from '../database/statements.ts'

/** The progress of each webhook, or `undefined` where the column is damaged. */
export function webhooksOf(row: Row): readonly WebhookProgress[] | undefined {
  const webhooks = readJson(row['webhooks'])
  return Array.isArray(webhooks) ? (webhooks as WebhookProgress[]) : undefined
}

/** The delivery of a row of `deliveries`, or of a row of `notices` with its deletion selected as `event_id`. */
export function deliveryOf(row: Row, webhooks: readonly WebhookProgress[]): Delivery {
  const replayId = row['replay_id']
  return {
    id: String(row['id']),
    eventId: String(row['event_id']),
    destinationId: String(row['destination_id']),
    state: row['state'] as DeliveryState,
    rounds: Number(row['rounds']),
    firstDueAt: Number(row['first_due_at']),
    dueAt: numberOrNull(row['due_at']),
    webhooks,
    ...(typeof replayId === 'string' && { replayId }),
  }
}

/**
 * Every attempt of a delivery, oldest first: failed attempts have rows of their own, successful ones are in
 * `webhooks`. Damaged attempts are left out.
 */
export function attemptsOf(
  statements: Statements,
  { id, webhooks }: Pick<Delivery, 'id' | 'webhooks'>,
): readonly Attempt[] {
  const failed = statements
    .all('SELECT document FROM attempts WHERE delivery_id = ?', [id])
    .flatMap(({ document }) => (readJson(document) as Attempt | undefined) ?? [])
  const delivered = webhooks
    .map(({ last }) => last)
    .filter(({ outcome }) => outcome === 'delivered')
  return [...failed, ...delivered].toSorted((a, b) => a.startedAt - b.startedAt)
}
