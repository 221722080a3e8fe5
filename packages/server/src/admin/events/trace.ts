import {
  ATTEMPT_CLASSES,
  DECLINE_REASONS,
  type DeclineReason,
  type Delivery,
  type DeliveryState,
  type Destination,
  formatTimestamp,
} from '@hookline/protocol'
import type { ArchivedEvent, Declined } from '../../backend/events.ts'
import { partWaiting, WAIT_REASONS, type WaitContext } from '../deliveries/waiting.ts'

/** The decision for one event and one destination; `pending` while there is none. */
export interface Decision {
  readonly destinationId: string
  readonly decision: 'deliver' | 'declined' | 'pending'
  /** Why the event was declined; otherwise `null`. */
  readonly reason: DeclineReason | null
  /** Since when the destination was disabled, if that is the reason and it is known; otherwise `null`. */
  readonly since: string | null
  /** The decision and its remedy, as text. */
  readonly explanation: string
}

const EXPLANATIONS: Readonly<Record<DeliveryState, string>> = {
  pending: 'It is not delivered yet.',
  delivered: 'It was delivered.',
  rejected: 'It was rejected, and Hookline does not try again.',
  expired: 'It could not be delivered in time. POST /deliveries/:id/retry tries it again.',
  held: 'It is held.',
  quarantined:
    'A bug in Hookline stopped it: the field quarantine of the delivery has the reason, and POST /deliveries/:id/retry tries it again.',
}

const REMOVED = 'Its destination was removed before it could be delivered.'

const UNDECIDED =
  'There is no record for this destination yet: the event is being decided, or delivered for the first time. Look again in a moment; if there is still none, /readyz reports what is stuck.'

/** A delivery, with what decides why it waits. */
export interface TracedDelivery {
  readonly delivery: Delivery
  readonly context: WaitContext
}

/**
 * Answers "the event was accepted, so why did nothing arrive?": one decision for each destination that the
 * source had when it received the event.
 * @param destinations those that the event is for now; those created after the event are left out
 */
export function traceDecisions(
  event: ArchivedEvent,
  destinations: readonly Destination[],
  deliveries: readonly TracedDelivery[],
): Decision[] {
  const receivedAt = Date.parse(event.event.receivedAt)
  const decisions = [
    ...deliveries.map(({ delivery, context }) =>
      decision(
        delivery.destinationId,
        'deliver',
        [explain(delivery), ...waits(delivery, context), ...remedies(delivery)].join(' '),
      ),
    ),
    ...event.declined.map(declinedDecision),
    ...destinations
      .filter(({ createdAt }) => createdAt <= receivedAt)
      .map(({ id }) => decision(id, 'pending', UNDECIDED)),
  ]
  // The first decision counts: a delivery comes before a decline, because a replay may have made it later.
  const first = new Map(decisions.toReversed().map((each) => [each.destinationId, each]))
  return decisions.filter((each) => first.get(each.destinationId) === each)
}

function decision(
  destinationId: string,
  kind: Decision['decision'],
  explanation: string,
): Decision {
  return { destinationId, decision: kind, reason: null, since: null, explanation }
}

function declinedDecision({ destinationId, reason, since: at }: Declined): Decision {
  const { meaning, help } = DECLINE_REASONS[reason]
  const since = at === undefined ? null : formatTimestamp(at)
  const sinceWhen = since === null ? [] : [`It was off since ${since}.`]
  const explanation = [meaning, ...sinceWhen, help].join(' ')
  return { ...decision(destinationId, 'declined', explanation), reason, since }
}

function explain({ state, webhooks }: Delivery): string {
  const isRefused = webhooks.some((part) => part.state === 'rejected')
  return state === 'rejected' && !isRefused ? REMOVED : EXPLANATIONS[state]
}

/** Why each webhook that has no attempt yet waits, since when, and until when. */
function waits({ webhooks }: Delivery, context: WaitContext): string[] {
  return webhooks.flatMap((part) => {
    const waiting = partWaiting(part, context)
    if (waiting === null) return []
    const { reason, since, nextAttemptAt } = waiting
    const next = nextAttemptAt === null ? '' : `, next attempt ${formatTimestamp(nextAttemptAt)}`
    const times = `(since ${formatTimestamp(since)}${next})`
    return [`${new URL(part.url).host} waits ${times}: ${WAIT_REASONS[reason]}`]
  })
}

/** The remedy for the last failure of each webhook. */
function remedies({ webhooks }: Delivery): string[] {
  const failing = webhooks.filter(({ state }) => state !== 'delivered' && state !== 'removed')
  const classes = new Set(failing.flatMap(({ last }) => last?.class ?? []))
  return [...classes].map((each) => `${each}: ${ATTEMPT_CLASSES[each].help}`)
}
