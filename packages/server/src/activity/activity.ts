import type { AcceptedEvent, Attempt, DeclineReason, Delivery } from '@hookline/protocol'
import type { DeliveryActivity } from '../telemetry/activity-listener.ts'

/** An event in the live tail. Its name and the ids of its user are truncated to bound memory. */
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
  /** Whether Hookline created it, to announce a change in the audience or computed trait with the key `name`. */
  readonly computed: boolean
  /** The announced change; `null` for an event from a client. */
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

interface AttemptActivity extends Pick<
  Attempt,
  'class' | 'durationMs' | 'number' | 'outcome' | 'url'
> {
  readonly kind: 'attempt'
  readonly at: number
  readonly eventId: string
  readonly deliveryId: string
  readonly destinationId: string
  readonly attemptId: string
  readonly status: number | null
  /** The state after the attempt. */
  readonly state: Delivery['state']
}

export type Activity = EventActivity | DecisionActivity | AttemptActivity

const MAX_CHARACTERS = 200

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
    name: truncateText(event.event ?? event.name ?? (origin && Object.keys(event.traits ?? {})[0])),
    userId: truncateText(userId),
    anonymousId: truncateText(anonymousId),
    computed: origin !== undefined,
    change: changeOf(accepted),
  }
}

function changeOf({ event, origin }: AcceptedEvent): EventActivity['change'] {
  if (origin === undefined) return null
  if (!origin.computationId.startsWith('aud_')) return 'changed'
  return Object.values(event.traits ?? {})[0] === true ? 'entered' : 'left'
}

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

export function truncateText(text: string | undefined): string | null {
  return text === undefined ? null : text.slice(0, MAX_CHARACTERS)
}

/** An absent field matches everything. */
export interface ActivityFilter {
  readonly kind?: Activity['kind']
  readonly sourceId?: string
  readonly destinationId?: string
  readonly type?: string
  /** Name of a track event, page or screen. */
  readonly event?: string
  readonly userId?: string
}

/** An activity, as stored, and as sent to other nodes. A decision includes its event, in case another node received it. */
export interface ActivityEntry {
  readonly activity: Activity
  /** `undefined` if it is not in memory. */
  readonly event?: EventActivity | undefined
}

/** Events match any destination filter: they have no destination yet. */
export function matchesFilter({ activity, event }: ActivityEntry, filter: ActivityFilter): boolean {
  return (
    isWanted(filter.kind, activity.kind) &&
    isWanted(filter.sourceId, event?.sourceId) &&
    (activity.kind === 'event' || isWanted(filter.destinationId, activity.destinationId)) &&
    isWanted(filter.type, event?.type) &&
    isWanted(filter.event, event?.name) &&
    isWanted(filter.userId, event?.userId)
  )
}

function isWanted(expected: string | undefined, actual: string | null | undefined): boolean {
  return expected === undefined || expected === actual
}
