import type { Delivery, Destination, Webhook } from '@hookline/protocol'
import { asRejected, withHeld, withParts } from './parts.ts'

/**
 * The delivery with a part for each webhook; the parts of paused webhooks are held. Rejected when the destination was
 * removed.
 */
export function newParts(
  delivery: Delivery,
  destination: Destination | undefined,
  now: number,
): Delivery {
  if (destination === undefined) return asRejected(delivery)
  const { settings } = destination
  return settings.webhooks
    .filter((webhook) => isPaused(destination, webhook))
    .reduce(
      (each, { url }) => withHeld(each, url, settings.successPolicy),
      withParts(delivery, settings, now),
    )
}

/** Whether nothing may be sent to the webhook. */
export function isPaused({ paused }: Destination, webhook: Webhook): boolean {
  return paused !== null || webhook.paused !== undefined
}
