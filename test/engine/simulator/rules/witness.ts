import type { AcceptedEvent, Delivery } from '@hookline/protocol'
import type { Declined } from '../../../../packages/server/src/backend/events.ts'

/** What a purge has removed. */
export interface Purged {
  readonly eventIds: ReadonlySet<string>
  readonly deliveries: readonly Delivery[]
  readonly unacked: number
}

export type Found = 'first' | 'again' | 'duplicate'

/** Who sees everything that becomes durable, at the moment it does. */
export interface Witness {
  appended(events: readonly AcceptedEvent[]): void
  /** An event is archived, perhaps again, or found a duplicate; `declined`: what was not known of it before. */
  archived(event: AcceptedEvent, found: Found, declined: readonly Declined[]): void
  /** A delivery is to be kept in place of what is there. `isTaken`: it was, being newer. */
  recorded(before: Delivery | undefined, offered: Delivery, isTaken: boolean): void
  /** The user of these events was deleted; `unacked`: how many of them were in the log. */
  purged(removed: Purged): void
  acked(events: readonly AcceptedEvent[]): void
}
