import type { AcceptedEvent, Carried, Delivery, Destination } from '@hookline/protocol'
import type { ArchivedEvent } from '../../../../packages/server/src/backend/events.ts'

/** All state of the memory backend that survives a crash. */
export class DurableState {
  /** By seq. Acked entries are removed. */
  readonly log = new Map<number, readonly AcceptedEvent[]>()
  nextSeq = 1
  /** Everything up to this seq is acked. */
  acked = 0
  readonly events = new Map<string, ArchivedEvent>()
  /** The event that was archived first, by source and messageId. */
  readonly firstByMessage = new Map<string, string>()
  /** By user: events received up to then are purged. */
  readonly purgedUntil = new Map<string, number>()
  readonly deliveries = new Map<string, Delivery>()
  readonly destinations = new Map<string, Destination>()
  /** The ids of all destinations, including removed ones. */
  readonly destinationIds = new Set<string>()

  isPurged(carried: Carried): boolean {
    return isCovered(this.purgedUntil, carried)
  }
}

/** Whether one of the purges covers this event. `purges`: by user, the time up to which events are purged. */
export function isCovered(purges: ReadonlyMap<string, number>, { event }: Carried): boolean {
  const until = purges.get(event.userId ?? '')
  return until !== undefined && Date.parse(event.receivedAt) <= until
}

/** Whether the delivery has ended. */
export function isFinal({ state }: Pick<Delivery, 'state'>): boolean {
  return state === 'delivered' || state === 'rejected' || state === 'expired'
}
