import type { Delivery, DeliveryPart } from '@hookline/protocol'

/** What this process knows about time. */
export interface KnownTimes {
  /** When the process started. */
  readonly startedAt: number
  readonly now: number
  /** The longest time for which a part can wait for its next attempt. */
  readonly longestWaitMs: number
}

/**
 * The delivery with pending parts whose times this process can believe. Parts that were due before it started waited while
 * nothing made attempts, or another clock set their times. Parts that are due later than any wait lasts were
 * stored with another clock. Either way the part is due now, and keeps as much of its retry window as it had when it was
 * due. Pure. Doing it twice changes nothing more.
 */
export function withKnownTimes(delivery: Delivery, times: KnownTimes): Delivery {
  if (delivery.webhooks.every((part) => shiftOf(part, times) === 0)) return delivery
  const webhooks = delivery.webhooks.map((part) => shifted(part, shiftOf(part, times)))
  return { ...delivery, webhooks, dueAt: Math.min(...webhooks.flatMap(({ dueAt }) => dueAt ?? [])) }
}

function shiftOf(
  { state, dueAt }: DeliveryPart,
  { startedAt, now, longestWaitMs }: KnownTimes,
): number {
  if (state !== 'pending' || dueAt === null) return 0
  if (dueAt < startedAt) return startedAt - dueAt
  return dueAt > now + longestWaitMs ? now - dueAt : 0
}

function shifted(part: DeliveryPart, ms: number): DeliveryPart {
  if (ms === 0 || part.dueAt === null) return part
  return { ...part, firstDueAt: part.firstDueAt + ms, dueAt: part.dueAt + ms }
}
