import {
  ATTEMPT_CLASSES,
  DECLINE_REASONS,
  type Delivery,
  type DeliveryPart,
  type DeliveryState,
  type Destination,
  formatTimestamp,
  remedyOf,
} from '@hookline/protocol'
import Type, { type Static } from 'typebox'
import type { DeliveryHistory } from '../../backend/deliveries.ts'
import type { ArchivedEvent, DeclinedDestination } from '../../backend/events.ts'
import { whyExcluded } from '../../routing/filter.ts'
import * as Schema from '../api/schema.ts'
import { partWaiting, WAIT_REASONS, type WaitContext } from '../deliveries/waiting.ts'

/** Why a destination has no decision: the `reason` field of a trace. */
export const UNDECIDED_REASONS = {
  destination_created_later: {
    meaning: 'The destination was created after the event arrived.',
    help: 'The destination receives later events. To send this one, send a test delivery with its event id.',
  },
} as const

/** Findings of a trace about the event itself. */
export const TRACE_FINDINGS = {
  no_destination: {
    meaning: 'The source had no destination when the event arrived.',
    help: 'Create a destination for this source: it will receive later events.',
  },
  source_removed: {
    meaning: 'The source and its destinations were deleted after the event arrived.',
    help: 'Send events to another source.',
  },
  duplicates: {
    meaning:
      'Later calls with the same messageId were dropped, because they arrived within dedupeWindow.',
    help: 'Use a unique messageId for each call. Duplicates are normal if a client retried a request.',
  },
} as const

export const DecisionResponse = Type.Object({
  destinationId: Type.String(),
  decision: Schema.oneOf(
    ['deliver', 'declined', 'pending', 'none'],
    'pending: not decided yet. none: the destination did not exist yet.',
  ),
  reason: Schema.nullable(Schema.text('The code of the reason not to deliver.')),
  since: Schema.nullable(Schema.timeOf('When the destination was disabled; null if unknown.')),
  explanation: Schema.text('The decision and its outcome as text.'),
  remedy: Schema.nullable(Schema.text('What to do; null if there is nothing to do.')),
})
type Decision = Static<typeof DecisionResponse>

type Explanation = Pick<Decision, 'explanation' | 'remedy'>

const RETRY = 'Retry the delivery.'

const STATES: Readonly<Record<DeliveryState, Explanation>> = {
  pending: { explanation: 'Not delivered yet.', remedy: null },
  delivered: { explanation: 'Delivered.', remedy: null },
  declined: {
    explanation: "Declined: the destination's transform returned nothing for this event.",
    remedy: ATTEMPT_CLASSES.transform_declined.help,
  },
  rejected: { explanation: 'Rejected. Hookline does not retry the delivery.', remedy: RETRY },
  expired: {
    explanation: 'Expired: the event could not be delivered within the retry window.',
    remedy: RETRY,
  },
  held: { explanation: 'Held, because the webhook or the destination is paused.', remedy: null },
  quarantined: {
    explanation: 'Quarantined: a bug in Hookline or corrupted data stopped the delivery.',
    remedy: RETRY,
  },
}

const CREATE = 'A new destination receives later events.'

const REMOVED: Explanation = {
  explanation: 'The destination was deleted before delivery.',
  remedy: CREATE,
}

const UNDECIDED: Explanation = {
  explanation: 'Not processed yet, or the first attempt is in progress.',
  remedy: 'Check again in a moment. If nothing changes, look for a failing check in /readyz.',
}

export interface TracedDelivery {
  readonly delivery: Delivery & Pick<DeliveryHistory, 'quarantine'>
  readonly context: WaitContext
}

/**
 * Explains why an accepted event did or did not arrive: one decision for each destination that it had on receipt or has now.
 * @param destinations the current destinations of the event
 */
export function traceDecisions(
  event: ArchivedEvent,
  destinations: readonly Destination[],
  deliveries: readonly TracedDelivery[],
): Decision[] {
  const receivedAt = Date.parse(event.event.receivedAt)
  const ids = new Set(destinations.map(({ id }) => id))
  const decisions = [
    ...deliveries.map((traced) => deliveryDecision(traced, ids)),
    ...event.declined.map((each) => declinedDecision(each, event, destinations)),
    ...destinations.map(({ id, createdAt }) =>
      createdAt <= receivedAt ? decision(id, 'pending', UNDECIDED) : laterDecision(id, createdAt),
    ),
  ]
  // The first one for a destination counts: a replay may have created a delivery after a decline.
  const first = new Map(decisions.toReversed().map((each) => [each.destinationId, each]))
  return decisions.filter((each) => first.get(each.destinationId) === each)
}

function decision(destinationId: string, kind: Decision['decision'], text: Explanation): Decision {
  return { destinationId, decision: kind, reason: null, since: null, ...text }
}

function deliveryDecision({ delivery, context }: TracedDelivery, ids: Ids): Decision {
  const { destinationId, state } = delivery
  const own = explanationOf(delivery)
  const waits = waitExplanations(delivery, context)
  const failures = failureExplanations(delivery)
  const explanation = [own, ...waits, ...failures].map((each) => each.explanation).join(' ')
  const isDone = state === 'delivered' || state === 'declined' || own === REMOVED
  if (!isDone && !ids.has(destinationId))
    return decision(destinationId, 'deliver', withoutDestination(explanation))
  // First the remedies that end a wait, then the fix for the receiver, then the retry.
  const remedies = new Set([...waits, ...failures, own].flatMap(({ remedy }) => remedy ?? []))
  const remedy = [...remedies].join(' ') || null
  return decision(destinationId, 'deliver', { explanation, remedy })
}

function declinedDecision(
  { destinationId, reason, since: at }: DeclinedDestination,
  event: ArchivedEvent,
  destinations: readonly Destination[],
): Decision {
  const { meaning, help } = DECLINE_REASONS[reason]
  const since = at === undefined ? null : formatTimestamp(at)
  const destination = destinations.find(({ id }) => id === destinationId)
  const details = [
    ...(since === null ? [] : [`It had been disabled since ${since}.`]),
    ...(reason === 'filtered' && destination !== undefined
      ? [filterDetail(destination, event)]
      : []),
  ]
  const explanation = [meaning, ...details].join(' ')
  const text =
    destination === undefined ? withoutDestination(explanation) : { explanation, remedy: help }
  return { ...decision(destinationId, 'declined', text), reason, since }
}

const MAX_REASONS = 3

/** The clauses of the current filter that the event fails. The filter that made the decision is not stored. */
function filterDetail({ settings: { filter } }: Destination, event: ArchivedEvent): string {
  if (filter === undefined) return 'The destination no longer has a filter.'
  const failed = whyExcluded(filter, event)
  if (failed.length === 0) return 'The event passes the current filter.'
  const more = failed.length > MAX_REASONS ? `; and ${failed.length - MAX_REASONS} more` : ''
  return `The current filter also excludes the event: ${failed.slice(0, MAX_REASONS).join('; ')}${more}.`
}

type Ids = ReadonlySet<string>

function withoutDestination(explanation: string): Explanation {
  return { explanation: `${explanation} The destination has since been deleted.`, remedy: CREATE }
}

function laterDecision(destinationId: string, createdAt: number): Decision {
  const reason = 'destination_created_later'
  const { meaning, help } = UNDECIDED_REASONS[reason]
  const explanation = `${meaning} It was created at ${formatTimestamp(createdAt)}.`
  return { ...decision(destinationId, 'none', { explanation, remedy: help }), reason }
}

function explanationOf({ state, webhooks, quarantine }: TracedDelivery['delivery']): Explanation {
  const isRefused = webhooks.some((part) => part.state === 'rejected')
  if (state === 'rejected' && !isRefused) return REMOVED
  if (quarantine === undefined) return STATES[state]
  return { explanation: `Quarantined: ${quarantine.reason}`, remedy: RETRY }
}

/** Why each webhook is waiting, since when and until when. */
function waitExplanations({ webhooks }: Delivery, context: WaitContext): Explanation[] {
  return webhooks.flatMap((part) => {
    const waiting = partWaiting(part, context)
    if (waiting === null) return []
    const { reason, since, nextAttemptAt } = waiting
    const next = nextAttemptAt === null ? '' : ` Next attempt: ${formatTimestamp(nextAttemptAt)}.`
    const wait = `The delivery to ${hostOf(part)} has been waiting since ${formatTimestamp(since)}.${next}`
    const { meaning, remedy } = WAIT_REASONS[reason]
    // `failureExplanations` explains why the last attempt failed.
    const isRetry = reason === 'retry' && part.lastAttempt !== undefined
    return [{ explanation: isRetry ? wait : `${wait} ${meaning}`, remedy }]
  })
}

const NOT_FAILED: ReadonlySet<string> = new Set(['delivered', 'declined', 'removed'])

/** The last failure at each webhook that has not accepted the event. */
function failureExplanations({ webhooks }: Delivery): Explanation[] {
  return webhooks.flatMap((part) => {
    const { state, lastAttempt } = part
    if (lastAttempt === undefined || NOT_FAILED.has(state)) return []
    const explanation = `The last attempt to ${hostOf(part)} failed: ${lastAttempt.error ?? lastAttempt.class}`
    const { class: kind, status } = lastAttempt
    return [{ explanation, remedy: `${kind}: ${remedyOf(kind, status)}` }]
  })
}

function hostOf({ url }: DeliveryPart): string {
  return new URL(url).host
}

/** Findings about the event itself: why it has no destination, or why later calls were dropped. */
export function traceFindings(
  { declined, duplicates, origin, event }: ArchivedEvent,
  context: {
    readonly source: { readonly name: string | null }
    /** The current destinations of the event. */
    readonly destinations: readonly Destination[]
    readonly deliveries: readonly Delivery[]
  },
) {
  const receivedAt = Date.parse(event.receivedAt)
  const hadDestination = context.destinations.some(({ createdAt }) => createdAt <= receivedAt)
  const isForNone = declined.length === 0 && context.deliveries.length === 0 && !hadDestination
  const isRemoved = origin === undefined && context.source.name === null
  return [
    ...(isRemoved ? [finding('source_removed')] : []),
    ...(isForNone && !isRemoved ? [finding('no_destination')] : []),
    ...(duplicates > 0 ? [finding('duplicates')] : []),
  ]
}

function finding(code: keyof typeof TRACE_FINDINGS) {
  const { meaning: message, help: remedy } = TRACE_FINDINGS[code]
  return { code, message, remedy }
}
