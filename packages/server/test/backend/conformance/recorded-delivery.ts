import type { AcceptedEvent, Delivery } from '@hookline/protocol'
import { deliveryId } from '../../../src/delivery/sending/webhook-request.ts'
import { acceptedEvent, NOON } from '../../harness/accepted-event.ts'
import type { BackendHarness } from './backend-harness.ts'

/** Appends an event of `src_a` and records its delivery to `dst_a`, with the given changes. */
export async function recordDelivery(
  { backend }: BackendHarness,
  change: Partial<Delivery> = {},
  event: AcceptedEvent = acceptedEvent(),
): Promise<Delivery> {
  await backend.log.append([event])
  const destinationId = change.destinationId ?? 'dst_a'
  const state = change.state ?? 'pending'
  const delivery: Delivery = {
    id: deliveryId(event.id, destinationId),
    eventId: event.id,
    destinationId,
    state,
    rounds: 0,
    firstDueAt: NOON,
    dueAt: state === 'pending' ? NOON : null,
    webhooks: [],
    ...change,
  }
  await backend.deliveries.record([{ delivery, attempts: [] }])
  return delivery
}
