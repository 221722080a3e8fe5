import type { Destination } from '@hookline/protocol'
import { activeWebhooks } from './paused.ts'
import type { WebhookHealth } from './webhook-health.ts'

/** Until when no webhook of a destination that is not paused may be tried; 0 where one may. */
export function restsUntil(destination: Destination, health: WebhookHealth): number {
  const { id } = destination
  return Math.min(...activeWebhooks(destination).map(({ url }) => health.restsUntil(id, url)))
}

/** Since when every webhook of the destination that is not paused is broken; `undefined` where one is not. */
export function brokenSince(destination: Destination, health: WebhookHealth): number | undefined {
  const { id } = destination
  const since = activeWebhooks(destination).map(({ url }) => health.brokenSince(id, url))
  return since.every((at) => at !== undefined) ? Math.max(...since) : undefined
}

/** When every such webhook had failed last, its breaker being open; `undefined` where one is closed. */
export function allFailedAt(destination: Destination, health: WebhookHealth): number | undefined {
  const { id } = destination
  const failed = activeWebhooks(destination).map(({ url }) => health.failedAt(id, url))
  return failed.every((at) => at !== undefined) ? Math.min(...failed) : undefined
}
