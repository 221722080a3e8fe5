import type { JsonObject } from './json.ts'

/** The calls a client library makes. `delete` is not among them: deletions have an API of their own. */
export const EVENT_TYPES = ['identify', 'track', 'page', 'screen', 'group', 'alias'] as const

export type EventType = (typeof EVENT_TYPES)[number]

/**
 * One call as Hookline keeps it: validated and stamped. All times are `YYYY-MM-DDTHH:mm:ss.sssZ`.
 * Keys a client sent that are not named here are kept, but never leave for a webhook.
 */
export interface Event {
  readonly type: EventType
  /** Made by the client, so that retries can be told from new calls; by the server where absent. ≤ 100 characters. */
  readonly messageId: string
  readonly userId?: string
  readonly anonymousId?: string
  /** When it happened. A client that gives one in the past imports history. */
  readonly timestamp: string
  /** When the server took it. */
  readonly receivedAt: string
  /** When the client sent it, by the client's clock. */
  readonly sentAt?: string
  /** The client's own words for `timestamp`, unchanged. */
  readonly originalTimestamp?: string
  readonly context: JsonObject
  /** Which destinations may have it, by name or id. See `isEnabledFor` in the server. */
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
 * What the server noticed about an event it accepted all the same.
 * - `precision_lost`: an integer beyond 2^53 cannot be carried exactly by JSON as receivers parse it.
 * - `timestamp_unreadable`: the client's timestamp could not be read and was replaced by `receivedAt`.
 */
export type Mark = 'precision_lost' | 'timestamp_unreadable'

/** An event the service has taken responsibility for. */
export interface AcceptedEvent {
  /** `evt_…`, made by the server; sorts by the time of receipt. */
  readonly id: string
  readonly sourceId: string
  readonly event: Event
  readonly marks: readonly Mark[]
}

/** What tells receivers that a user was deleted. It is no call: a deletion request makes it. */
export interface DeletionNotice {
  readonly type: 'delete'
  readonly userId: string
  /** When the deletion was asked for. */
  readonly timestamp: string
  /** The same; what the time until delivery is counted from. */
  readonly receivedAt: string
}

/** What a delivery carries, with its id: an event, or a deletion notice under the id of its request. */
export interface Carried {
  readonly id: string
  readonly sourceId: string
  readonly event: Event | DeletionNotice
}
