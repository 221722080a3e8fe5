import type { Carried, Delivery } from '@hookline/protocol'
import type { DeliveryQueue } from '../backend/deliveries.ts'

/**
 * Keeps claimed deliveries as they are now, no attempt having been made. Where that fails they are given
 * back: nobody holds them in memory, so a claim that stayed would keep them from everyone until a restart.
 */
export async function recordClaimed(
  deliveries: DeliveryQueue<Carried>,
  claimed: readonly Delivery[],
): Promise<void> {
  try {
    await deliveries.record(claimed.map((delivery) => ({ delivery, attempts: [] })))
  } catch (error) {
    await deliveries.release(claimed.map(({ id }) => id))
    throw error
  }
}
