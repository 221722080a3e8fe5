import type { AcceptedEvent, Delivery, DeliveryContent, Destination } from '@hookline/protocol'
import type { ArchivedEvent } from '../../../../packages/server/src/backend/events.ts'

/** All state of the memory backend that survives a crash. */
export class DurableState {
  /** By seq. Acked entries are removed. */
  readonly log = new Map<number, readonly AcceptedEvent[]>()
  nextSeq = 1
  /** The seq of each event, by id. */
  readonly seqOf = new Map<string, number>()
  /** All entries up to this seq are acked. */
  acked = 0
  readonly events = new Map<string, ArchivedEvent>()
  /** The first archived event, by source and messageId. */
  readonly firstByMessage = new Map<string, string>()
  /** By user: the seq of the last purged event. */
  readonly purgedThrough = new Map<string, number>()
  readonly deliveries = new Map<string, Delivery>()
  readonly destinations = new Map<string, Destination>()
  /** The ids of all destinations, including removed ones. */
  readonly destinationIds = new Set<string>()

  isPurged(content: DeliveryContent): boolean {
    return this.isCovered(this.purgedThrough, content)
  }

  /** Whether the event is purged. `purges`: by user, the seq of the last purged event. */
  isCovered(purges: ReadonlyMap<string, number>, { id, userId = '' }: DeliveryContent): boolean {
    const through = purges.get(userId)
    return through !== undefined && this.seqOf.get(id)! <= through
  }
}

/** Whether the delivery has ended. */
export function isFinal({ state }: Pick<Delivery, 'state'>): boolean {
  return state === 'delivered' || state === 'rejected' || state === 'expired'
}
