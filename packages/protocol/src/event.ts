import type { JsonObject } from './json.ts'

/** The types of calls of a client library. `delete` is not one of them: deletions have their own API. */
export const EVENT_TYPES = ['identify', 'track', 'page', 'screen', 'group', 'alias'] as const

export type EventType = (typeof EVENT_TYPES)[number]

/**
 * One call as Hookline stores it: validated, with its times set. All times are `YYYY-MM-DDTHH:mm:ss.sssZ`.
 * Other keys that a client sent are stored, but never sent to a webhook.
 */
export interface Event {
  readonly type: EventType
  /** Set by the client to distinguish retries from new calls, or else by the server. At most 100 characters. */
  readonly messageId: string
  readonly userId?: string
  readonly anonymousId?: string
  /** When it happened. Calls with a past timestamp import history. */
  readonly timestamp: string
  /** When the server received it. */
  readonly receivedAt: string
  /** When the client sent it, by the client's clock. */
  readonly sentAt?: string
  /** The `timestamp` that the client sent, unchanged. */
  readonly originalTimestamp?: string
  readonly context: JsonObject
  /** Which destinations may receive it, by name or id. See `isEnabledFor` in the server. */
  readonly integrations?: JsonObject
  /** The name of a track event. */
  readonly event?: string
  /** The name of a page or screen. */
  readonly name?: string
  readonly category?: string
  readonly properties?: JsonObject
  readonly traits?: JsonObject
  readonly groupId?: string
  readonly previousId?: string
}

/**
 * A problem of an event that the server accepted nevertheless.
 * - `precision_lost`: it has a number beyond 2^53 that was rounded, or one that became 0.
 * - `characters_lost`: it had bytes that are not UTF-8, which became U+FFFD. Two keys may have become one.
 * - `timestamp_unreadable`: the client's timestamp could not be read and was replaced by `receivedAt`.
 */
export type Mark = 'precision_lost' | 'characters_lost' | 'timestamp_unreadable'

/** Where an event comes from that no client sent: a change of an audience or a computed trait. */
export interface Origin {
  readonly computationId: string
  /** The destinations that it is for, whatever their source. */
  readonly destinationIds: readonly string[]
}

/**
 * An event that the service has accepted and must deliver: what the way to its receivers needs, and the text of its
 * webhook body, which ingestion serialises once. Nobody on that way parses it.
 */
export interface AcceptedEvent extends Carried {
  readonly type: EventType
  readonly messageId: string
  /** As JSON: what the event has beside the body. */
  readonly rest: string
  /** Which destinations may receive it, where the client said so. */
  readonly integrations: JsonObject | undefined
  readonly marks: readonly Mark[]
  /** The whole event, parsed when it is first read. */
  readonly event: Event
}

/** Notifies receivers that a user was deleted. A deletion request makes it, not a call. It has one of the two ids. */
export interface DeletionNotice {
  readonly type: 'delete'
  readonly userId?: string
  readonly anonymousId?: string
  /** When the deletion was requested. */
  readonly timestamp: string
  /** Equal to `timestamp`. The time until delivery counts from here. */
  readonly receivedAt: string
}

/** What a delivery carries: an event, or a deletion notice, which has the id of its request. */
export interface Carried {
  /** Of an event: `evt_…`, made by the server; sorts by the time of receipt. */
  readonly id: string
  /** The source that sent it; for a computed event, the id of the audience or computed trait. */
  readonly sourceId: string
  readonly type: EventType | DeletionNotice['type']
  readonly userId: string | undefined
  readonly anonymousId: string | undefined
  readonly previousId: string | undefined
  /** When the server received it, in milliseconds since the epoch. */
  readonly receivedAt: number
  /** Present for a computed event. It goes to these destinations only, and feeds no profile. */
  readonly origin?: Origin
  /** The body of its webhook requests as UTF-8: signed, sent and stored as it is. */
  readonly body: Uint8Array
}
