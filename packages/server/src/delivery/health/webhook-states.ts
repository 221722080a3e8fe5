import type { Destination } from '@hookline/protocol'
import type { WebhookHealth } from './webhook-health.ts'

/** How the breaker of one webhook stands. */
export interface WebhookState {
  readonly url: string
  readonly breaker: 'closed' | 'open' | 'half_open'
  /** Since when it has not been closed, in milliseconds since the epoch; `null` where it is closed. */
  readonly brokenSince: number | null
  /** Before when nothing is tried; `null` where it may be now. */
  readonly restsUntil: number | null
}

/** How the breaker of each webhook of the destination stands at `now`. */
export function webhookStates(
  { id, settings }: Destination,
  health: WebhookHealth,
  now: number,
): WebhookState[] {
  return settings.webhooks.map(({ url }) => {
    const brokenSince = health.brokenSince(id, url) ?? null
    const restsUntil = health.restsUntil(id, url)
    const isResting = restsUntil > now
    const breaker = brokenSince === null ? 'closed' : isResting ? 'open' : 'half_open'
    return { url, breaker, brokenSince, restsUntil: isResting ? restsUntil : null }
  })
}
