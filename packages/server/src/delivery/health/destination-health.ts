import type { Destination, Webhook } from '@hookline/protocol'
import type { WebhookHealth } from './webhook-health.ts'

/** Whether nothing may be sent to the destination: it is paused, or all of its webhooks are. */
export function isPaused(destination: Destination): boolean {
  return destination.paused !== null || activeWebhooks(destination).length === 0
}

/** Until when no active webhook of the destination may be tried, in milliseconds since the epoch; 0 when one may be. */
export function blockedUntil(destination: Destination, health: WebhookHealth): number {
  const { id } = destination
  return Math.min(...activeWebhooks(destination).map(({ url }) => health.blockedUntil(id, url)))
}

/** Since when the breakers of all active webhooks have been open; `undefined` when one is closed. */
export function brokenSince(destination: Destination, health: WebhookHealth): number | undefined {
  const { id } = destination
  const since = activeWebhooks(destination).map(({ url }) => health.brokenSince(id, url))
  return since.every((at) => at !== undefined) ? Math.max(...since) : undefined
}

/**
 * Up to when the last failures of all active webhooks reach, while their breakers are open; `undefined` when one is
 * closed.
 */
export function lastFailureAt(destination: Destination, health: WebhookHealth): number | undefined {
  const { id } = destination
  const failed = activeWebhooks(destination).map(({ url }) => health.lastFailureAt(id, url))
  return failed.every((at) => at !== undefined) ? Math.min(...failed) : undefined
}

/** The webhooks of the destination that are not paused. */
function activeWebhooks({ settings }: Destination): readonly Webhook[] {
  return settings.webhooks.filter(({ paused }) => paused === undefined)
}
