import type { Delivery, Destination } from '@hookline/protocol'
import type { Clock } from '../../util/clock.ts'
import { type ClaimedDeliveries, recordClaimed } from './record-claimed.ts'
import { allFailedAt, brokenSince } from '../health/rest.ts'
import type { WebhookHealth } from '../health/webhook-health.ts'

/** Deliveries looked at in one go. */
const SLICE = 256

/**
 * Ends what has waited out its window while every webhook of the destination was broken. A delivery
 * expires only when the window has passed *and* it was really tried, or the breaker was open, with
 * failing probes, all the time: what a stop of Hookline itself made late is still tried (spec 02).
 * @returns how many expired
 */
export async function expireUnderOpenBreaker(
  destination: Destination,
  context: ClaimedDeliveries & {
    readonly health: WebhookHealth
    readonly clock: Clock
    readonly retryWindowMs: number
  },
): Promise<number> {
  const { deliveries, health, clock, retryWindowMs } = context
  const since = brokenSince(destination, health)
  const failedAt = allFailedAt(destination, health)
  if (since === undefined || failedAt === undefined) return 0
  for (let expired = 0; ;) {
    const now = clock.now()
    const claim = await deliveries.claim(destination.id, { now, limit: SLICE })
    const claimed = claim.deliveries
    // Those are set aside when the webhook is well again and the lane claims them.
    await deliveries.release(claim.unreadable.map(({ id }) => id))
    const isOver = ({ rounds, firstDueAt }: Delivery): boolean => {
      const end = firstDueAt + retryWindowMs
      // A probe must have failed after the end: while Hookline itself was stopped, none was sent.
      return end <= now && (rounds > 0 || (since <= firstDueAt && failedAt >= end))
    }
    const over = claimed.filter(({ delivery }) => isOver(delivery))
    const waiting = claimed.filter(({ delivery }) => !isOver(delivery))
    await deliveries.release(waiting.map(({ delivery }) => delivery.id))
    expired += await recordClaimed(context, over, (delivery) => ({
      ...delivery,
      state: 'expired',
      dueAt: null,
    }))
    if (over.length < SLICE) return expired
  }
}
