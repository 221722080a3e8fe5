import {
  ATTEMPT_CLASSES,
  DECLINE_REASONS,
  type DeclineReason,
  type Delivery,
  type DeliveryPart,
  type DeliveryState,
  type Destination,
  formatTimestamp,
} from '@hookline/protocol'
import type { DeliveryHistory } from '../../backend/deliveries.ts'
import type { ArchivedEvent, Declined } from '../../backend/events.ts'
import { partWaiting, WAIT_REASONS, type WaitContext } from '../deliveries/waiting.ts'

/** Why there is no decision for a destination, as the field `reason` of a trace and docs/reference/errors.md show it. */
export const UNDECIDED_REASONS = {
  destination_created_later: {
    meaning: 'The destination was created after the event arrived.',
    help: 'It receives later events. A test delivery with the id of this event sends it once.',
  },
} as const

/** What a trace says of the event itself, and not of one destination. */
export const TRACE_FINDINGS = {
  no_destination: {
    meaning: 'The source had no destination when the event arrived.',
    help: 'Create a destination of this source: it receives later events.',
  },
  source_removed: {
    meaning: 'The source was removed after the event arrived, with its destinations.',
    help: 'Send to another source.',
  },
  duplicates: {
    meaning: 'Later calls with the same messageId arrived within 24 hours. They were dropped.',
    help: 'Give each call a messageId of its own. A client that repeats a request sends the same one, and then this is right.',
  },
} as const

/** The decision for one event and one destination; `pending` while there is none, `none` if there never will be. */
export interface Decision {
  readonly destinationId: string
  readonly decision: 'deliver' | 'declined' | 'pending' | 'none'
  /** Why there is no delivery; otherwise `null`. */
  readonly reason: DeclineReason | keyof typeof UNDECIDED_REASONS | null
  /** Since when the destination was disabled, if that is the reason and it is known; otherwise `null`. */
  readonly since: string | null
  /** The decision, and what became of it, as text. */
  readonly explanation: string
  /** What to do; `null` if there is nothing to do. */
  readonly remedy: string | null
}

/** What is said, and what to do about it. */
type Words = Pick<Decision, 'explanation' | 'remedy'>

const RETRY = 'Retry the delivery.'

const STATES: Readonly<Record<DeliveryState, Words>> = {
  pending: { explanation: 'It is not delivered yet.', remedy: null },
  delivered: { explanation: 'It was delivered.', remedy: null },
  rejected: {
    explanation: 'It was rejected, and Hookline does not try again.',
    remedy: RETRY,
  },
  expired: { explanation: 'It could not be delivered in time.', remedy: RETRY },
  held: { explanation: 'It is held.', remedy: null },
  quarantined: { explanation: 'A bug in Hookline stopped it', remedy: RETRY },
}

const CREATE = 'A new destination receives later events.'

const REMOVED: Words = {
  explanation: 'Its destination was removed before it could be delivered.',
  remedy: CREATE,
}

const UNDECIDED: Words = {
  explanation:
    'There is no record for this destination yet: the event is being decided, or delivered for the first time.',
  remedy: 'Look again in a moment; if there is still none, /readyz reports what is stuck.',
}

/** A delivery, with what decides why it waits. */
export interface TracedDelivery {
  readonly delivery: Delivery & Pick<DeliveryHistory, 'quarantine'>
  readonly context: WaitContext
}

/**
 * Answers "the event was accepted, so why did nothing arrive?": one decision for each destination that the source had
 * when it received the event, and for each that it has now.
 * @param destinations those that the event is for now
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
    ...event.declined.map((each) => declinedDecision(each, ids)),
    ...destinations.map(({ id, createdAt }) =>
      createdAt <= receivedAt ? decision(id, 'pending', UNDECIDED) : laterDecision(id, createdAt),
    ),
  ]
  // The first decision counts: a delivery comes before a decline, because a replay may have made it later.
  const first = new Map(decisions.toReversed().map((each) => [each.destinationId, each]))
  return decisions.filter((each) => first.get(each.destinationId) === each)
}

function decision(
  destinationId: string,
  kind: Decision['decision'],
  { explanation, remedy }: Words,
): Decision {
  return { destinationId, decision: kind, reason: null, since: null, explanation, remedy }
}

function deliveryDecision({ delivery, context }: TracedDelivery, ids: Ids): Decision {
  const { destinationId, state } = delivery
  const words = stateWords(delivery)
  const waits = waitWords(delivery, context)
  const failures = failureWords(delivery)
  const explanation = [words, ...waits, ...failures].map((each) => each.explanation).join(' ')
  const isDone = state === 'delivered' || words === REMOVED
  if (!isDone && !ids.has(destinationId))
    return decision(destinationId, 'deliver', gone(explanation))
  // What ends a wait comes before what mends the receiver; a retry of what has failed comes after that.
  const remedies = [...waits, ...failures, words].flatMap(({ remedy }) => remedy ?? [])
  const remedy = remedies.length === 0 ? null : [...new Set(remedies)].join(' ')
  return decision(destinationId, 'deliver', { explanation, remedy })
}

function declinedDecision({ destinationId, reason, since: at }: Declined, ids: Ids): Decision {
  const { meaning, help } = DECLINE_REASONS[reason]
  const since = at === undefined ? null : formatTimestamp(at)
  const explanation = since === null ? meaning : `${meaning} It was off since ${since}.`
  const words = ids.has(destinationId) ? { explanation, remedy: help } : gone(explanation)
  return { ...decision(destinationId, 'declined', words), reason, since }
}

type Ids = ReadonlySet<string>

/** The remedy would change a destination that is no more. */
function gone(explanation: string): Words {
  return { explanation: `${explanation} The destination was removed since.`, remedy: CREATE }
}

function laterDecision(destinationId: string, createdAt: number): Decision {
  const reason = 'destination_created_later'
  const { meaning, help } = UNDECIDED_REASONS[reason]
  const explanation = `${meaning} It was created at ${formatTimestamp(createdAt)}.`
  return { ...decision(destinationId, 'none', { explanation, remedy: help }), reason }
}

function stateWords({ state, webhooks, quarantine }: TracedDelivery['delivery']): Words {
  const isRefused = webhooks.some((part) => part.state === 'rejected')
  if (state === 'rejected' && !isRefused) return REMOVED
  if (state !== 'quarantined') return STATES[state]
  const { explanation, remedy } = STATES[state]
  return { explanation: `${explanation}${quarantine ? `: ${quarantine.reason}` : '.'}`, remedy }
}

/** Why each webhook that has no attempt yet waits, since when, and until when. */
function waitWords({ webhooks }: Delivery, context: WaitContext): Words[] {
  return webhooks.flatMap((part) => {
    const waiting = partWaiting(part, context)
    if (waiting === null) return []
    const { reason, since, nextAttemptAt } = waiting
    const next = nextAttemptAt === null ? '' : `, next attempt ${formatTimestamp(nextAttemptAt)}`
    const times = `(since ${formatTimestamp(since)}${next})`
    const { meaning, remedy } = WAIT_REASONS[reason]
    return [{ explanation: `${hostOf(part)} waits ${times}: ${meaning}`, remedy }]
  })
}

/** The last failure of each webhook that has not taken the event. */
function failureWords({ webhooks }: Delivery): Words[] {
  return webhooks.flatMap((part) => {
    const { state, last } = part
    if (last === undefined || state === 'delivered' || state === 'removed') return []
    const explanation = `The last attempt on ${hostOf(part)} failed: ${last.error ?? last.class}`
    return [{ explanation, remedy: `${last.class}: ${ATTEMPT_CLASSES[last.class].help}` }]
  })
}

function hostOf({ url }: DeliveryPart): string {
  return new URL(url).host
}

/** What explains why an event arrived nowhere, or only once, apart from the decision for each destination. Pure. */
export function traceFindings(
  { declined, duplicates, origin, event }: ArchivedEvent,
  {
    source,
    destinations,
    deliveries,
  }: {
    readonly source: { readonly name: string | null }
    /** Those that the event is for now. */
    readonly destinations: readonly Destination[]
    readonly deliveries: readonly Delivery[]
  },
) {
  const receivedAt = Date.parse(event.receivedAt)
  const had = destinations.some(({ createdAt }) => createdAt <= receivedAt)
  const isForNone = declined.length === 0 && deliveries.length === 0 && !had
  const isRemoved = origin === undefined && source.name === null
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
