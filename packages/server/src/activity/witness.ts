import type { AcceptedEvent, DeclineReason } from '@hookline/protocol'
import type { Purge } from '../backend/deletions.ts'
import type { RecordedDelivery } from '../backend/deliveries.ts'

/** What the pipeline made of an event for one destination; of a duplicate, for none. */
export interface WitnessedDecision {
  readonly event: AcceptedEvent
  readonly destinationId: string | null
  readonly decision: 'deliver' | 'duplicate' | DeclineReason
}

/**
 * Whoever looks on while events go through the service. It is told after the fact, often twice after a
 * restart, and must neither throw nor take long.
 */
export interface Witness {
  /** These events are stored durably. */
  received(events: readonly AcceptedEvent[]): void
  decided(decision: WitnessedDecision): void
  /** A delivery stands so now, after these attempts. */
  recorded(record: RecordedDelivery): void
  /** These users are purged: whoever remembers them forgets. */
  purged(purge: Pick<Purge, 'userIds' | 'sourceIds'>): void
}
