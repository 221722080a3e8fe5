import type { Carried, Delivery } from '@hookline/protocol'
import type { Deletions } from '../../backend/deletions.ts'
import type { ClaimedDelivery, DeliveryQueue } from '../../backend/deliveries.ts'
import type { ActivityListener } from '../../telemetry/activity-listener.ts'

/** Where claimed deliveries are kept, and what knows which of them are being purged. */
export interface ClaimedDeliveries {
  readonly deliveries: DeliveryQueue<Carried>
  readonly deletions: Pick<Deletions, 'isPurged'>
  readonly activity: Pick<ActivityListener, 'recorded'>
}

/**
 * Keeps claimed deliveries as `change` makes them, no attempt having been made, and returns how many. What
 * is being purged is given back instead: a record behind the purge would bring it back. Where keeping
 * fails all are given back: nobody holds them in memory, so a claim that stayed would keep them from
 * everyone until a restart.
 */
export async function recordClaimed(
  { deliveries, deletions, activity }: ClaimedDeliveries,
  claimed: readonly ClaimedDelivery<Carried>[],
  change: (delivery: Delivery) => Delivery,
): Promise<number> {
  const { purged = [], kept = [] } = Object.groupBy(claimed, ({ event }) =>
    deletions.isPurged(event) ? 'purged' : 'kept',
  )
  const release = (some: typeof claimed): Promise<void> =>
    deliveries.release(some.map(({ delivery }) => delivery.id))
  const records = kept.map(({ delivery }) => ({ delivery: change(delivery), attempts: [] }))
  try {
    await deliveries.record(records)
  } catch (error) {
    await release(claimed)
    throw error
  }
  for (const record of records) activity.recorded(record)
  await release(purged)
  return kept.length
}
