import type { WebhookMethod } from '../destination.ts'
import type { AttemptClass } from './attempt-classes.ts'

/**
 * The state of one event for one destination. `pending` waits for an attempt; `held` waits for the end of a pause.
 * The others are final until a replay or a manual retry. `declined`: the transform of the destination returned nothing.
 * `quarantined`: a bug or corrupted data stopped it.
 * Derived from the states of its parts: see `stateOf` in the server's `delivery/parts/parts.ts`.
 */
export const DELIVERY_STATES = [
  'pending',
  'delivered',
  'declined',
  'rejected',
  'expired',
  'held',
  'quarantined',
] as const

export type DeliveryState = (typeof DELIVERY_STATES)[number]

/** The results of an attempt. `retry`: another one may follow. `declined`: the transform returned nothing, so nothing was sent. */
export const ATTEMPT_OUTCOMES = ['delivered', 'retry', 'rejected', 'declined'] as const

/** The duration of each phase of an attempt, in milliseconds. A phase that was not reached is absent. */
export interface AttemptTiming {
  /** The DNS lookup. */
  readonly lookupMs?: number
  readonly connectMs?: number
  readonly tlsMs?: number
  /** Waiting for a free socket, sending the request, and waiting for the last header of the response. */
  readonly responseMs?: number
  /** The time for reading the body of the response, which is not part of the attempt's `durationMs`. Absent below 1 ms. */
  readonly transferMs?: number
}

/** One HTTP request in a delivery, or the reason why no request was made. */
export interface Attempt {
  /** `att_…` */
  readonly id: string
  /** Counts the attempts to this webhook since the last replay or manual retry, from 1. Sent as `X-Hookline-Attempt`. */
  readonly number: number
  readonly url: string
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly durationMs: number
  /** Absent if a socket was already open and the body took less than 1 ms: the whole duration was spent waiting for the response. */
  readonly timing?: AttemptTiming
  readonly outcome: (typeof ATTEMPT_OUTCOMES)[number]
  readonly class: AttemptClass
  /** The HTTP status, or the reply code of a mail server, if there was a response. */
  readonly status?: number
  /** An error message without secrets. */
  readonly error?: string
  /** The response headers on an allowlist. */
  readonly headers?: Readonly<Record<string, string>>
  /** At most 4 KiB of the response body. */
  readonly body?: string
  /** The id of its replay, `rpl_…`. Sent as `X-Hookline-Replay`. */
  readonly replayId?: string
}

/**
 * The state of one webhook's part of a delivery. `pending` waits for its next attempt; `held` waits until the webhook
 * or the destination resumes. The others are final, except that an `expired` part with a failed attempt becomes `not_retried`
 * when another webhook accepts the event.
 * - `declined`: the transform of the destination returned nothing for the event.
 * - `not_retried`: an attempt failed, and another webhook accepted the event (success policy `any`).
 * - `removed`: the webhook was removed before it accepted the event.
 */
export const PART_STATES = [
  'pending',
  'held',
  'delivered',
  'declined',
  'rejected',
  'expired',
  'not_retried',
  'removed',
] as const

export type PartState = (typeof PART_STATES)[number]

/** One webhook's part of a delivery. It is attempted, retried and counted separately. */
export interface DeliveryPart {
  readonly url: string
  readonly state: PartState
  /** When it first became due, in milliseconds since the epoch. Its retry window starts here. */
  readonly firstDueAt: number
  /** When its next attempt is due; `null` unless `pending`. */
  readonly dueAt: number | null
  /** The last attempt, without headers or body; absent before the first. */
  readonly lastAttempt?: Omit<Attempt, 'headers' | 'body'>
}

/** One event for one destination. */
export interface Delivery {
  /** `msg_…`, the `webhook-id` of every attempt. The same event and destination always have the same id. */
  readonly id: string
  readonly eventId: string
  readonly destinationId: string
  readonly state: DeliveryState
  /**
   * The number of attempts since the last replay or manual retry. With several webhooks, the highest number of any
   * webhook.
   */
  readonly attemptCount: number
  /**
   * When it first became due, in milliseconds since the epoch. A replay or a manual retry changes it, so it also
   * distinguishes records from before and after.
   */
  readonly firstDueAt: number
  /** When the next attempt to one of its webhooks is due; `null` if none is. */
  readonly dueAt: number | null
  /** Its part for each webhook; empty until the engine has read the webhooks of its destination. */
  readonly webhooks: readonly DeliveryPart[]
  /** The id of the last replay that requested new attempts, `rpl_…`. */
  readonly replayId?: string
}

/** A request to a webhook, for display. */
export interface ShownRequest {
  readonly method: WebhookMethod
  /** The URL of the webhook, with its placeholders filled in. */
  readonly url: string
  /** As sent, but with the values of static headers hidden. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A test delivery's request to one webhook, and the result. */
export interface TestedWebhook {
  readonly url: string
  /** `null` if the transform failed or returned nothing, or the URL cannot be filled in. */
  readonly request: ShownRequest | null
  /** `null` if a request was built, but not sent. */
  readonly result: Omit<Attempt, 'id' | 'number' | 'url' | 'replayId'> | null
}

/** The request that a delivery would make now to one webhook. */
export interface NextRequest {
  readonly url: string
  readonly request: ShownRequest
  /** A shell command that sends it, with a valid signature and the names of the static headers, but not their values. */
  readonly curl: string
}

/** One payload sent to all webhooks of a destination on request. It is neither recorded nor retried. */
export interface TestDelivery {
  /** The stored payload. */
  readonly stored: string
  /** After `fields` and `format`, before the transform. Equal to `stored` if the destination sets neither. */
  readonly formatted: string
  /** The paths in `formatted` of numbers that JavaScript cannot represent exactly, if any: the transform gets them as text. */
  readonly precisionLost?: readonly string[]
  /** The `webhook-id` of each request. */
  readonly deliveryId: string
  readonly webhooks: readonly TestedWebhook[]
}

/** Why the pipeline did not create a delivery, and the remedy, for docs/reference/errors.md and the console. */
export interface DeclineReasonInfo {
  readonly meaning: string
  readonly help: string
}

/** All reasons not to create a delivery. */
export const DECLINE_REASONS = {
  destination_disabled: {
    meaning: 'The destination was disabled when the event arrived.',
    help: 'Enable the destination: it then receives later events. A replay that includes declined events sends this one.',
  },
  integrations: {
    meaning: "The call's integrations exclude the destination.",
    help: "Omit integrations from the call, or set Webhooks or the destination's id to true in integrations.",
  },
  filtered: {
    meaning: "The destination's filter excluded the event.",
    help: 'To receive such events, change the filter. A replay that includes declined events then sends this one.',
  },
  sampled: {
    meaning: "The event was not in the destination's sample.",
    help: 'To receive more events, increase the sample rate. A replay that includes declined events then sends this one.',
  },
} as const satisfies Record<string, DeclineReasonInfo>

export type DeclineReason = keyof typeof DECLINE_REASONS
