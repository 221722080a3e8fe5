import type { DeclineReason, Delivery, DeliveryState, Destination } from '@hookline/protocol'
import type { ArchivedEvent } from '../backend/events.ts'

/** What was decided for one event and one destination, or that nothing is decided yet. */
export interface Decision {
  readonly destinationId: string
  readonly decision: 'deliver' | 'declined' | 'pending'
  /** Why not; `null` where nothing was declined. */
  readonly reason: DeclineReason | null
  /** In words, with the remedy. */
  readonly explanation: string
}

const WHY_NOT: Readonly<Record<DeclineReason, string>> = {
  destination_disabled:
    'The destination was off when the event came. Turn it on with PATCH {"enabled": true}: events received from then on are forwarded.',
  integrations:
    'The integrations object of the call excluded this destination. Leave integrations out, or name Webhooks (case sensitive) or the id of the destination with true.',
}

const SO_FAR: Readonly<Record<DeliveryState, string>> = {
  pending: 'It is not delivered yet: nextAttemptAt of the delivery says when it is tried next.',
  delivered: 'It was delivered.',
  rejected:
    'It was refused for good: the attempts of the delivery say by whom and why. Without a refusal among them, its destination was removed before it could be delivered.',
  expired: 'It could not be delivered in time: the attempts of the delivery say why.',
  held: 'It waits until the destination is resumed: POST /destinations/:id/resume.',
  quarantined:
    "A fault of Hookline's own stopped it: quarantine of the delivery says more, and POST /deliveries/:id/retry tries it again.",
}

const UNDECIDED =
  'Nothing is recorded for this destination yet. Look again in a moment; if it stays so, /readyz says what is stuck.'

/**
 * The answer to "accepted, so why did nothing arrive?": one decision for each destination that had a
 * say. `destinations` are those the source has now; one made after the event had none.
 */
export function decisionsOn(
  event: ArchivedEvent,
  destinations: readonly Destination[],
  deliveries: readonly Delivery[],
): Decision[] {
  const receivedAt = Date.parse(event.event.receivedAt)
  const decisions = [
    ...deliveries.map(({ destinationId, state }) =>
      decision(destinationId, 'deliver', SO_FAR[state]),
    ),
    ...event.declined.map(({ destinationId, reason }) => ({
      ...decision(destinationId, 'declined', WHY_NOT[reason]),
      reason,
    })),
    ...destinations
      .filter(({ createdAt }) => createdAt <= receivedAt)
      .map(({ id }) => decision(id, 'pending', UNDECIDED)),
  ]
  // What comes first counts: a delivery outweighs a refusal, for a replay makes one later.
  const first = new Map(decisions.toReversed().map((each) => [each.destinationId, each]))
  return decisions.filter((each) => first.get(each.destinationId) === each)
}

function decision(
  destinationId: string,
  kind: Decision['decision'],
  explanation: string,
): Decision {
  return { destinationId, decision: kind, reason: null, explanation }
}
