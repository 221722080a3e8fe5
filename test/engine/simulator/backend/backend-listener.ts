import type { AcceptedEvent, Delivery, Destination } from '@hookline/protocol'
import type { DeclinedDestination } from '../../../../packages/server/src/backend/events.ts'

/** The events and deliveries that a purge has removed. */
export interface PurgedRecords {
  readonly eventIds: ReadonlySet<string>
  readonly deliveries: readonly Delivery[]
  /** The number of these events that were in the log. */
  readonly unacked: number
}

/** `first`: the event is new. `again`: it was archived before. `duplicate`: another event has its messageId. */
export type ArchiveResult = 'first' | 'again' | 'duplicate'

/** Called for each change to the durable state, when it becomes durable. */
export interface BackendListener {
  appended(events: readonly AcceptedEvent[]): void
  /** Called when an event was archived. `declined`: destinations newly recorded as declined. */
  archived(
    event: AcceptedEvent,
    result: ArchiveResult,
    declined: readonly DeclinedDestination[],
  ): void
  /**
   * Called when the engine recorded a delivery. `isNewer`: it replaced the stored one. Otherwise, it was older and
   * ignored.
   */
  recorded(before: Delivery | undefined, offered: Delivery, isNewer: boolean): void
  /** Called when the process and its threads have applied a purge of the user's events up to the seq `through`. */
  purgeApplied(userId: string, through: number): void
  /** Called when a destination changes. Returns a function to call when all threads have applied the change. */
  destinationChanges(id: string, before: Destination | undefined): () => void
  /** Called when a user's events and deliveries have been removed. */
  purged(removed: PurgedRecords): void
  acked(events: readonly AcceptedEvent[]): void
}

export const NO_LISTENER: BackendListener = {
  appended: () => undefined,
  archived: () => undefined,
  recorded: () => undefined,
  purgeApplied: () => undefined,
  destinationChanges: () => () => undefined,
  purged: () => undefined,
  acked: () => undefined,
}
