import {
  ATTEMPT_CLASSES,
  DECLINE_REASONS,
  type DeclineReason,
  type Delivery,
  type DeliveryState,
  type Destination,
} from '@hookline/protocol'
import type { ArchivedEvent } from '../../backend/events.ts'

/** What was decided for one event and one destination, or that nothing is decided yet. */
export interface Decision {
  readonly destinationId: string
  readonly decision: 'deliver' | 'declined' | 'pending'
  /** Why not; `null` where nothing was declined. */
  readonly reason: DeclineReason | null
  /** In words, with the remedy. */
  readonly explanation: string
}

const SO_FAR: Readonly<Record<DeliveryState, string>> = {
  pending: 'It is not delivered yet: nextAttemptAt of the delivery says when it is tried next.',
  delivered: 'It was delivered.',
  rejected: 'It was refused for good.',
  expired: 'It could not be delivered in time. POST /deliveries/:id/retry tries it again.',
  held: 'It waits until the destination is resumed: POST /destinations/:id/resume.',
  quarantined:
    "A fault of Hookline's own stopped it: quarantine of the delivery says more, and POST /deliveries/:id/retry tries it again.",
}

const REMOVED = 'Its destination was removed before it could be delivered.'

const UNDECIDED =
  'Nothing is recorded for this destination yet. Look again in a moment; if it stays so, /readyz says what is stuck.'

/**
 * The answer to "accepted, so why did nothing arrive?": one decision for each destination that had a
 * say. `destinations` are those the source has now; one made after the event had none.
 */
export function traceDecisions(
  event: ArchivedEvent,
  destinations: readonly Destination[],
  deliveries: readonly Delivery[],
): Decision[] {
  const receivedAt = Date.parse(event.event.receivedAt)
  const decisions = [
    ...deliveries.map((delivery) =>
      decision(delivery.destinationId, 'deliver', soFar(delivery) + remediesOf(delivery)),
    ),
    ...event.declined.map(({ destinationId, reason }) => {
      const { meaning, help } = DECLINE_REASONS[reason]
      return { ...decision(destinationId, 'declined', `${meaning} ${help}`), reason }
    }),
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

function soFar({ state, webhooks }: Delivery): string {
  const isRefused = webhooks.some(({ outcome }) => outcome === 'rejected')
  return state === 'rejected' && !isRefused ? REMOVED : SO_FAR[state]
}

/** What to do about each way in which its webhooks failed last. */
function remediesOf({ state, webhooks }: Delivery): string {
  if (state === 'delivered') return ''
  const failing = webhooks.filter(({ outcome }) => outcome !== 'delivered')
  const classes = new Set(failing.map(({ last }) => last.class))
  return [...classes].map((each) => ` ${each}: ${ATTEMPT_CLASSES[each].help}`).join('')
}
