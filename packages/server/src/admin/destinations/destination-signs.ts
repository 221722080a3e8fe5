import type { Destination } from '@hookline/protocol'

/** The breaker of one webhook, seen from outside. */
export interface WebhookState {
  readonly url: string
  readonly breaker: 'closed' | 'open' | 'half_open'
  /** Since when it has not been closed, in milliseconds since the epoch; `null` where it is closed. */
  readonly brokenSince: number | null
  /** Before when nothing is tried; `null` where it may be now. */
  readonly restsUntil: number | null
}

/** What this node knows of the destinations it delivers to. */
export interface DestinationSigns {
  webhooks(destination: Destination): readonly WebhookState[]
  /** Attempts of the last hour. */
  lastHour(destinationId: string): { readonly attempts: number; readonly delivered: number }
}
