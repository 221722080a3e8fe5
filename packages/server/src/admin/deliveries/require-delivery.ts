import type { Deliveries, DeliveryHistory } from '../../backend/deliveries.ts'
import { Problem } from '../problems/problem.ts'

/**
 * The delivery with this id.
 * @throws {Problem} `not_found`
 */
export async function requireDelivery(
  deliveries: Pick<Deliveries, 'find'>,
  id: string,
): Promise<DeliveryHistory> {
  const delivery = await deliveries.find(id)
  if (delivery !== undefined) return delivery
  const detail = 'No delivery has this id, or retention has removed it.'
  throw new Problem('not_found', { detail })
}
