import type {
  AcceptedEvent,
  Attempt,
  AttemptClass,
  DeclineReason,
  Delivery,
} from '@hookline/protocol'
import type { DeliveryActivity } from '../telemetry/activity-listener.ts'

/** An event, as the live tail shows it. Texts of clients are truncated, so that the tail's memory has a bound. */
export interface EventActivity {
  readonly kind: 'event'
  readonly at: number
  readonly eventId: string
  readonly sourceId: string
  readonly type: string
  readonly messageId: string
  readonly name: string | null
  readonly userId: string | null
  readonly anonymousId: string | null
  /** Whether no client sent it: it tells of a change of an audience or a computed trait, whose key is the `name`. */
  readonly computed: boolean
  /** What it tells of an audience, or of a computed trait; `null` for an event that a client sent. */
  readonly change: 'entered' | 'left' | 'changed' | null
}

interface DecisionActivity {
  readonly kind: 'decision'
  readonly at: number
  readonly eventId: string
  readonly sourceId: string
  readonly destinationId: string | null
  readonly decision: 'deliver' | 'declined' | 'duplicate'
  readonly reason: DeclineReason | null
}

interface AttemptActivity {
  readonly kind: 'attempt'
  readonly at: number
  readonly eventId: string
  readonly deliveryId: string
  readonly destinationId: string
  readonly attemptId: string
  readonly url: string
  readonly number: number
  readonly outcome: Attempt['outcome']
  readonly class: AttemptClass
  readonly status: number | null
  readonly durationMs: number
  /** The state of the delivery after the attempt. */
  readonly state: Delivery['state']
}

/** One activity, as the live tail shows it. */
export type Activity = EventActivity | DecisionActivity | AttemptActivity

const MAX_CHARACTERS = 200

/** The activity that an event was received. */
export function eventActivity(accepted: AcceptedEvent, at: number): EventActivity {
  const { id, sourceId, event, origin } = accepted
  const { type, messageId, userId, anonymousId } = event
  return {
    kind: 'event',
    at,
    eventId: id,
    sourceId,
    type,
    messageId,
    name: truncated(event.event ?? event.name ?? (origin && Object.keys(event.traits ?? {})[0])),
    userId: truncated(userId),
    anonymousId: truncated(anonymousId),
    computed: origin !== undefined,
    change: changeOf(accepted),
  }
}

function changeOf({ event, origin }: AcceptedEvent): EventActivity['change'] {
  if (origin === undefined) return null
  if (!origin.computationId.startsWith('aud_')) return 'changed'
  return Object.values(event.traits ?? {})[0] === true ? 'entered' : 'left'
}

/** The activity that an attempt was made. */
export function attemptActivity(
  delivery: DeliveryActivity['delivery'],
  attempt: DeliveryActivity['attempts'][number],
  at: number,
): AttemptActivity {
  const { id, number, url, outcome, status, durationMs } = attempt
  return {
    kind: 'attempt',
    at,
    eventId: delivery.eventId,
    deliveryId: delivery.id,
    destinationId: delivery.destinationId,
    attemptId: id,
    url,
    number,
    outcome,
    class: attempt.class,
    status: status ?? null,
    durationMs,
    state: delivery.state,
  }
}

/** Text of a client, truncated for an activity. */
export function truncated(text: string | undefined): string | null {
  return text === undefined ? null : text.slice(0, MAX_CHARACTERS)
}

/** Which activities a reader wants. An absent field matches all. */
export interface ActivityFilter {
  readonly kind?: Activity['kind']
  readonly sourceId?: string
  readonly destinationId?: string
  readonly type?: string
  /** The name of a track event, a page or a screen. */
  readonly event?: string
  readonly userId?: string
}

/** An activity with its event; `undefined` if the event has left the memory. */
export interface ActivityEntry {
  readonly activity: Activity
  readonly event: EventActivity | undefined
}

/** Whether the filter matches. An event has no destination yet, so a filter by destination lets it pass. */
export function passes({ activity, event }: ActivityEntry, filter: ActivityFilter): boolean {
  return (
    isWanted(filter.kind, activity.kind) &&
    isWanted(filter.sourceId, event?.sourceId) &&
    (activity.kind === 'event' || isWanted(filter.destinationId, activity.destinationId)) &&
    isWanted(filter.type, event?.type) &&
    isWanted(filter.event, event?.name) &&
    isWanted(filter.userId, event?.userId)
  )
}

function isWanted(wanted: string | undefined, given: string | null | undefined): boolean {
  return wanted === undefined || wanted === given
}
