import type {
  AcceptedEvent,
  Attempt,
  AttemptClass,
  DeclineReason,
  Delivery,
} from '@hookline/protocol'

/** What is told of an event. Texts of clients are cut short: what is kept for the live tail has a bound. */
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

export interface AttemptActivity {
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
  /** The state of the delivery after the round. */
  readonly state: Delivery['state']
}

/** One thing that happened, as the live tail tells it. */
export type Activity = EventActivity | DecisionActivity | AttemptActivity

const MOST_CHARACTERS = 200

/** The event, told. */
export function eventActivity({ id, sourceId, event }: AcceptedEvent, at: number): EventActivity {
  const { type, messageId, userId, anonymousId } = event
  return {
    kind: 'event',
    at,
    eventId: id,
    sourceId,
    type,
    messageId,
    name: short(event.event ?? event.name),
    userId: short(userId),
    anonymousId: short(anonymousId),
  }
}

/** The attempt, told. */
export function attemptActivity(delivery: Delivery, attempt: Attempt, at: number): AttemptActivity {
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

/** Text of a client as activities have it. */
export function short(text: string | undefined): string | null {
  return text === undefined ? null : text.slice(0, MOST_CHARACTERS)
}
