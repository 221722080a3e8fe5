import type {
  AcceptedEvent,
  Attempt,
  Delivery,
  DeliveryContent,
  DeliveryPart,
} from '@hookline/protocol'
import type { Claim, LaneId } from '../../../../src/backend/deliveries.ts'
import { deliveryId } from '../../../../src/delivery/sending/webhook-request.ts'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import type { BackendHarness } from '../backend-harness.ts'

/** The lane of deliveries from `recordDelivery`, and the lane of another webhook of the same destination. */
export const LANE: LaneId = { destinationId: 'dst_a', url: 'https://example.com/' }
export const OTHER_LANE: LaneId = { ...LANE, url: 'https://other.example/' }

/** A part for the webhook of `LANE`, due at NOON if it is pending. */
export function partOf(change: Partial<DeliveryPart> = {}): DeliveryPart {
  const { state = 'pending' } = change
  const dueAt = state === 'pending' ? NOON : null
  return { url: LANE.url, state, firstDueAt: NOON, dueAt, ...change }
}

/** A failed attempt to the webhook of `LANE`. */
export function attemptOf(change: Partial<Attempt> = {}): Attempt {
  const attempt = { id: 'att_1', number: 1, url: LANE.url, startedAt: NOON, durationMs: 7 }
  return { ...attempt, outcome: 'retry', class: 'http_5xx', status: 500, body: 'down', ...change }
}

/** The attempt as stored in a part. */
export function lastOf({ headers: _headers, body: _body, ...last }: Attempt): typeof last {
  return last
}

/** An unattempted delivery of the event to `dst_a`, with one part for the webhook of `LANE`. */
export function deliveryOf(event: AcceptedEvent, change: Partial<Delivery> = {}): Delivery {
  const { destinationId = 'dst_a', state = 'pending', firstDueAt = NOON } = change
  const { dueAt = state === 'pending' ? NOON : null } = change
  const partState = state === 'quarantined' ? 'pending' : state
  return {
    id: deliveryId(event.id, destinationId),
    eventId: event.id,
    destinationId,
    state,
    attemptCount: 0,
    firstDueAt,
    dueAt,
    webhooks: [partOf({ state: partState, firstDueAt, dueAt })],
    ...change,
  }
}

/** Appends an event of `src_a` and records its `deliveryOf`, unclaimed. */
export async function recordDelivery(
  { backend, settle }: Pick<BackendHarness, 'backend'> & Partial<Pick<BackendHarness, 'settle'>>,
  change: Partial<Delivery> = {},
  event: AcceptedEvent = acceptedEvent(),
): Promise<Delivery> {
  await backend.log.append([event])
  await settle?.()
  const delivery = deliveryOf(event, change)
  await backend.deliveries.record([{ delivery, attempts: [] }])
  return delivery
}

/** The ids of the claimed deliveries. */
export const idsOf = ({ deliveries }: Pick<Claim<DeliveryContent>, 'deliveries'>): string[] =>
  deliveries.map(({ delivery }) => delivery.id)

/** Claims deliveries due at NOON in a lane, and returns the ids. */
export async function claimDue(
  { backend }: BackendHarness,
  lane: LaneId = LANE,
  limit = 9,
): Promise<string[]> {
  return idsOf(await backend.deliveries.claim(lane, { due: NOON, limit }))
}
