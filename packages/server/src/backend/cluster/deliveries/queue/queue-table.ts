import type { Carried, Delivery } from '@hookline/protocol'
import type { RawBuilder } from 'kysely'
import type { ClaimedDelivery, RecordedDelivery } from '../../../deliveries.ts'
import type { Unreadable } from '../../../quarantine.ts'
import type { DeliveryRow } from '../../../store/deliveries.ts'
import type { QueueName, StoredParts } from '../../../store/stored-parts.ts'

/** A delivery that is recorded, with its column `webhooks`. */
export interface Given {
  readonly delivery: Delivery
  readonly webhooks: string
}

/** The table that a queue is kept in: how its rows are read, and how a record changes them. */
export interface QueueTable<E extends Carried, Row extends DeliveryRow> {
  readonly name: QueueName
  /** `SELECT … FROM …` with everything that `claimedOf` reads. The table has its own name in it. */
  readonly select: RawBuilder<Row>
  readonly claimedOf: (row: Row, parts: StoredParts) => ClaimedDelivery<E> | Unreadable
  /**
   * Records of deliveries that are new and have ended, in one call; absent where all records are written in the same way.
   * Returns the ids of those that it has written.
   */
  readonly recordNew?: (
    records: readonly RecordedDelivery[],
    parts: StoredParts,
  ) => RawBuilder<{ readonly id: string }>
  /**
   * What a record writes, as queries of a WITH clause. The last of them is `written`: the `id` of each delivery that is now
   * as the record says. Those before it can be read:
   *
   * - `kept (id, state, rounds, first_due_at)`: the deliveries that there were, locked, as they are now
   * - `refused (id)`: another node has claimed them since: they are not to be changed
   */
  readonly write: (given: readonly Given[]) => RawBuilder<unknown>
}

/** Whether the delivery has a part that waits in a lane. */
export function isWaiting({ webhooks }: Pick<Delivery, 'webhooks'>): boolean {
  return webhooks.some(({ state }) => state === 'pending' || state === 'held')
}
