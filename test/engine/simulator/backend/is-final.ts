import type { Delivery } from '@hookline/protocol'

/** Whether nothing is ever to change about the delivery again. */
export function isFinal({ state }: Pick<Delivery, 'state'>): boolean {
  return state === 'delivered' || state === 'rejected' || state === 'expired'
}
