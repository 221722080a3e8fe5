import type { Delivery, Destination } from '@hookline/protocol'
import type { Clock } from '../../util/clock.ts'
import { brokenSince, lastFailureAt } from '../health/destination-health.ts'
import type { WebhookHealth } from '../health/webhook-health.ts'
import { type ClaimContext, updateClaimed } from './update-claimed.ts'

/** Deliveries claimed at a time. */
const SLICE = 256

/**
 * Ends deliveries whose retry window passed while every webhook of the destination was broken. A delivery expires only
 * when its window has passed *and* either it was tried, or the breakers were open, with failing probes, all the time.
 * Deliveries that are late because Hookline itself was stopped are still tried (spec 02).
 * @returns how many expired
 */
export async function expireUnderOpenBreaker(
  destination: Destination,
  context: ClaimContext & {
    readonly health: WebhookHealth
    readonly clock: Clock
    readonly retryWindowMs: number
  },
): Promise<number> {
  const { deliveries, health, clock, retryWindowMs } = context
  const since = brokenSince(destination, health)
  const failedAt = lastFailureAt(destination, health)
  if (since === undefined || failedAt === undefined) return 0
  for (let expired = 0; ;) {
    const now = clock.now()
    const claim = await deliveries.claim(destination.id, { now, limit: SLICE })
    const claimed = claim.deliveries
    // They are quarantined when the webhook is healthy again and the lane claims them.
    await deliveries.release(claim.unreadable.map(({ id }) => id))
    const times = { now, retryWindowMs, since, failedAt }
    const over = claimed.filter(({ delivery }) => isOver(delivery, times))
    const waiting = claimed.filter(({ delivery }) => !isOver(delivery, times))
    await deliveries.release(waiting.map(({ delivery }) => delivery.id))
    expired += await updateClaimed(context, over, asExpired)
    if (over.length < SLICE) return expired
  }
}

interface OutageTimes {
  readonly now: number
  readonly retryWindowMs: number
  /** Since when all webhooks have been broken. */
  readonly since: number
  /** When the last probe failed. */
  readonly failedAt: number
}

function isOver({ rounds, firstDueAt }: Delivery, times: OutageTimes): boolean {
  const end = firstDueAt + times.retryWindowMs
  if (end > times.now) return false
  // A probe must have failed after the end of the window. While Hookline was stopped, it sent none.
  return rounds > 0 || (times.since <= firstDueAt && times.failedAt >= end)
}

function asExpired(delivery: Delivery): Delivery {
  return { ...delivery, state: 'expired', dueAt: null }
}
