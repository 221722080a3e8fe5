import type { AttemptClass } from './attempt-classes.ts'

/**
 * The state of one event for one destination. `pending` waits for a round, `held` to be resumed; the others
 * are final until someone asks for new rounds. `quarantined`: a fault of Hookline's own, no receiver's.
 */
export type DeliveryState =
  'pending' | 'delivered' | 'rejected' | 'expired' | 'held' | 'quarantined'

/** Where the time of an attempt went, in milliseconds. A phase that was not reached is absent. */
export interface AttemptTiming {
  /** The name look-up. */
  readonly lookupMs?: number
  readonly connectMs?: number
  readonly tlsMs?: number
  /** Sending, and waiting: for a free socket, and for the last header of the answer. */
  readonly answerMs?: number
}

/** One HTTP request of a delivery, or the reason why none was made. */
export interface Attempt {
  /** `att_…` */
  readonly id: string
  /** The round it belonged to, from 1. */
  readonly round: number
  /** Which attempt on this webhook it was, from 1: what `X-Hookline-Attempt` said. */
  readonly number: number
  readonly url: string
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly durationMs: number
  /** Absent where a socket was open already, so that all of it was waiting for the answer. */
  readonly timing?: AttemptTiming
  readonly outcome: 'delivered' | 'retry' | 'rejected'
  readonly class: AttemptClass
  /** The HTTP status, where there was an answer. */
  readonly status?: number
  /** In words, without secrets: what went wrong. */
  readonly error?: string
  /** Response headers of an allow-list. */
  readonly headers?: Readonly<Record<string, string>>
  /** At most 4 KiB of the response body. */
  readonly body?: string
  /** `rpl_…` of the replay it belonged to: what `X-Hookline-Replay` said. */
  readonly replayId?: string
}

/** How far one webhook of a delivery is. */
export interface WebhookProgress {
  readonly url: string
  /** `retry` is not final: another attempt is due. */
  readonly outcome: 'delivered' | 'retry' | 'rejected'
  /** When the next attempt is due, for `retry`, in milliseconds since the epoch; absent when none fits the window. */
  readonly dueAt?: number
  /** The last attempt made, without headers and body. */
  readonly last: Omit<Attempt, 'headers' | 'body'>
}

/** One event for one destination. */
export interface Delivery {
  /** `msg_…`, the `webhook-id` of every attempt: the same for the same event and destination, always. */
  readonly id: string
  readonly eventId: string
  readonly destinationId: string
  readonly state: DeliveryState
  /** Attempt rounds made, since the last replay or retry by hand. */
  readonly rounds: number
  /** When it first became due: the retry window starts here. Milliseconds since the epoch. */
  readonly firstDueAt: number
  /** When the next round is due, while `pending`; else `null`. */
  readonly dueAt: number | null
  /** One entry for each webhook that was tried. */
  readonly webhooks: readonly WebhookProgress[]
  /** `rpl_…` of the last replay that asked for new rounds. */
  readonly replayId?: string
}
