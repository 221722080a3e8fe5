import type {
  HealthyDestination,
  WebhookHealth,
} from '../../../src/domain/destinations/destination-query.ts'

type Pause = HealthyDestination['paused']

interface DestinationOverrides {
  readonly id?: string
  readonly enabled?: boolean
  readonly paused?: Pause
  /** The pause of its only webhook. */
  readonly pause?: Pause
  readonly webhook?: Partial<WebhookHealth>
  readonly lastHour?: { readonly attempts: number; readonly delivered: number }
}

const CLOSED = {
  url: 'https://a.example/',
  breaker: 'closed',
  brokenSince: null,
  openUntil: null,
  retryAfterUntil: null,
  pacePerSecond: null,
  pending: 0,
  held: 0,
  oldestPendingAt: null,
} as const

/** The destination “Shop” with one working webhook, except for the overrides. */
export function destination(overrides: DestinationOverrides = {}): HealthyDestination {
  const { id = 'dst_1', enabled = true, paused = null, pause = null, webhook = {} } = overrides
  const { lastHour = { attempts: 0, delivered: 0 } } = overrides
  const health = { ...CLOSED, ...webhook }
  return {
    id,
    name: 'Shop',
    enabled,
    paused,
    settings: { webhooks: [{ url: health.url, headers: {}, paused: pause }] },
    health: { ...health, webhooks: [health], lastHour },
  } as unknown as HealthyDestination
}
