import type { AcceptedEvent, Carried, Delivery, Destination } from '@hookline/protocol'
import type { ArchivedEvent } from '../../../../packages/server/src/backend/events.ts'

/** What survives a crash: all that the memory backend keeps. */
export class DurableState {
  /** By seq; what is acked is gone. */
  readonly log = new Map<number, readonly AcceptedEvent[]>()
  nextSeq = 1
  /** Everything up to this seq is acked. */
  acked = 0
  readonly events = new Map<string, ArchivedEvent>()
  /** The event that was archived first, by source and messageId. */
  readonly firstByMessage = new Map<string, string>()
  /** By user: what was received until then is purged. */
  readonly purgedUntil = new Map<string, number>()
  readonly deliveries = new Map<string, Delivery>()
  readonly destinations = new Map<string, Destination>()
  /** Every destination there has ever been. */
  readonly destinationIds = new Set<string>()

  isPurged(carried: Carried): boolean {
    return isCovered(this.purgedUntil, carried)
  }
}

/** Whether a purge, by user and the time it reaches up to, takes this event. */
export function isCovered(purges: ReadonlyMap<string, number>, { event }: Carried): boolean {
  const until = purges.get(event.userId ?? '')
  return until !== undefined && Date.parse(event.receivedAt) <= until
}
