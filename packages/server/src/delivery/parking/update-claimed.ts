import type { Carried, Delivery } from '@hookline/protocol'
import type { Deletions } from '../../backend/deletions.ts'
import type { ClaimedDelivery, DeliveryQueue } from '../../backend/deliveries.ts'
import type { ActivityListener } from '../../telemetry/activity-listener.ts'

export interface ClaimContext {
  readonly deliveries: DeliveryQueue<Carried>
  readonly deletions: Pick<Deletions, 'isPurged'>
  readonly activity: Pick<ActivityListener, 'recorded'>
}

/**
 * Changes claimed deliveries without an attempt, records them, and returns how many it recorded. Those of a user who is
 * being purged are released instead: a record written after the purge would restore them. When recording fails, all
 * are released: no lane has them, so nothing else would release the claims before a restart.
 */
export async function updateClaimed(
  { deliveries, deletions, activity }: ClaimContext,
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
