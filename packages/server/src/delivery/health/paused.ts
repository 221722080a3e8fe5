import type { Delivery, Destination, Webhook } from '@hookline/protocol'

/** The webhooks of the destination that are tried, while it is not paused itself. */
export function activeWebhooks({ settings }: Destination): readonly Webhook[] {
  return settings.webhooks.filter(({ paused }) => paused === undefined)
}

/** Whether nothing of the destination may be tried: it is paused, or each of its webhooks is. */
export function isPaused(destination: Destination): boolean {
  return destination.paused !== null || activeWebhooks(destination).length === 0
}

/** The delivery while it waits to be resumed. */
export function held(delivery: Delivery): Delivery {
  return { ...delivery, state: 'held', dueAt: null }
}
