import type { Destination, WebhookState } from '@hookline/protocol'
import type { WebhookHealth } from './webhook-health.ts'

/** How the breaker of each webhook of the destination stands at `now`. */
export function webhookStates(
  { id, settings }: Destination,
  health: WebhookHealth,
  now: number,
): WebhookState[] {
  return settings.webhooks.map(({ url }) => {
    const brokenSince = health.brokenSince(id, url) ?? null
    const restsUntil = health.blockedUntil(id, url)
    const isResting = restsUntil > now
    const breaker = brokenSince === null ? 'closed' : isResting ? 'open' : 'half_open'
    const quietUntil = health.quietUntil(id, url)
    return {
      url,
      breaker,
      brokenSince,
      restsUntil: isResting ? restsUntil : null,
      retryAfterUntil: quietUntil > now ? quietUntil : null,
      pacePerSecond: health.pacePerSecond(id, url) ?? null,
    }
  })
}
