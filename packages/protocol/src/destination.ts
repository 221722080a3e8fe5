/** Nothing is sent since `since`, in milliseconds since the epoch. `resume` ends the pause. */
export interface Pause {
  readonly since: number
  /**
   * - `gone`: the receiver responded 410 three times in a row, at least a minute apart.
   * - `forbidden`: the address or the port of the URL is forbidden. It is tried again after each start of Hookline.
   */
  readonly reason: 'operator' | 'gone' | 'forbidden'
}

/** One URL of a destination. */
export interface Webhook {
  /** Normalised by WHATWG URL parsing. Unique within a destination. */
  readonly url: string
  /** Static headers. The values are secrets: only the names are shown. */
  readonly headers: Readonly<Record<string, string>>
  /** While present, this webhook receives no attempts. */
  readonly paused?: Pause
}

/**
 * When a delivery to several webhooks counts as delivered.
 * - `any`: when one webhook accepts it; the others are not retried (requirement §Errors).
 * - `each`: when every webhook accepts it; each is retried separately.
 */
export type SuccessPolicy = 'any' | 'each'

/** A replaced shared secret. Until `until`, requests are also signed with it. */
export interface PreviousSecret {
  readonly secret: string
  /** Milliseconds since the epoch. */
  readonly until: number
}

export interface WebhooksSettings {
  /** The key of the signatures. `null`: requests are not signed. */
  readonly sharedSecret: string | null
  /** Present while the receivers change to a new secret. */
  readonly previousSecret?: PreviousSecret
  /** One to five. */
  readonly webhooks: readonly Webhook[]
  readonly successPolicy: SuccessPolicy
}

/** Where the events of a source go. Its type is also its name in `integrations`. */
export interface Destination {
  /** `dst_…` */
  readonly id: string
  readonly sourceId: string
  readonly type: 'Webhooks'
  readonly name: string
  readonly enabled: boolean
  /**
   * When it was last enabled or disabled, or else created, in milliseconds since the epoch. Absent if an earlier version
   * of Hookline did that.
   */
  readonly enabledChangedAt?: number
  /** While not `null`, deliveries are held. */
  readonly paused: Pause | null
  readonly settings: WebhooksSettings
  readonly createdAt: number
  readonly updatedAt: number
  /** Counts changes. A change names the version it is based on. */
  readonly version: number
}

/** The circuit breaker of one webhook. */
export interface WebhookState {
  readonly url: string
  readonly breaker: 'closed' | 'open' | 'half_open'
  /** Since when the breaker is not closed, in milliseconds since the epoch; `null` while it is closed. */
  readonly brokenSince: number | null
  /** Until when no attempt is made, in milliseconds since the epoch; `null` if one may be made now. */
  readonly restsUntil: number | null
  /** Until when the receiver asked for no attempt with `Retry-After`; `null` if it did not, or the time is over. */
  readonly retryAfterUntil: number | null
  /** How many attempts a second it gets, because its receiver throttles them; `null` if nothing limits it. */
  readonly pacePerSecond: number | null
}

/** How a webhook stands: its breaker, and how many attempts at it are in flight. */
export interface LaneState extends WebhookState {
  readonly inFlight: number
}
