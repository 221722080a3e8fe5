import type { Attempt, DeliveryState } from '@hookline/protocol'

/** The messages of `GET /live` that the console reads. Times are ISO 8601, UTC. */
export type LiveMessage =
  | ({ readonly kind: 'event' } & LiveEvent)
  | ({ readonly kind: 'decision' } & LiveDecision)
  | ({ readonly kind: 'attempt' } & LiveAttempt)
  | ({ readonly kind: 'change' } & LiveChange)
  | ({ readonly kind: 'gap' } & LiveGap)

export interface LiveEvent {
  readonly at: string
  readonly eventId: string
  readonly sourceId: string
  readonly type: string
  readonly messageId: string
  readonly name: string | null
  readonly userId: string | null
  readonly anonymousId: string | null
  readonly computed: boolean
  readonly change: 'entered' | 'left' | 'changed' | null
}

export interface LiveDecision {
  readonly at: string
  readonly eventId: string
  readonly sourceId: string
  readonly destinationId: string | null
  readonly decision: 'deliver' | 'declined' | 'duplicate'
  readonly reason: string | null
}

export interface LiveAttempt {
  readonly at: string
  readonly eventId: string
  readonly deliveryId: string
  readonly destinationId: string
  readonly attemptId: string
  readonly url: string
  readonly number: number
  readonly outcome: Attempt['outcome']
  readonly class: string
  readonly status: number | null
  readonly durationMs: number
  readonly state: DeliveryState
}

interface LiveChange {
  /** The collection, as in API paths; `null` if changes were missed. */
  readonly resource: string | null
  readonly id: string | null
}

interface LiveGap {
  readonly reason: 'too_long_ago' | 'reader_too_slow' | 'lost'
  readonly missed: number | null
}

export type Topic = 'activity' | 'changes'
