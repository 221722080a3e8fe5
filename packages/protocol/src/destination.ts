/** Since when nothing is sent, in milliseconds since the epoch, and why. Ends with `resume`. */
export interface Pause {
  readonly since: number
  /** `gone`: the receiver said 410, three times in a row and a minute apart. */
  readonly reason: 'operator' | 'gone'
}

/** One URL of a destination. */
export interface Webhook {
  /** As WHATWG URL parsing gives it. Unique within a destination. */
  readonly url: string
  /** Static headers. Values are secrets: shown by name only. */
  readonly headers: Readonly<Record<string, string>>
  /** While it is there, this webhook is not tried. */
  readonly paused?: Pause
}

/**
 * When a delivery to several webhooks counts as delivered.
 * - `any`: when one webhook took it; the others are not retried (requirement §Errors).
 * - `each`: when every webhook took it; each is retried on its own.
 */
export type SuccessPolicy = 'any' | 'each'

/** A shared secret that was replaced, and until when requests are signed with it as well. */
export interface PreviousSecret {
  readonly secret: string
  /** Milliseconds since the epoch. */
  readonly until: number
}

export interface WebhooksSettings {
  /** Keys the signatures. `null`: requests are not signed. */
  readonly sharedSecret: string | null
  /** While the receivers change over to a new secret. */
  readonly previousSecret?: PreviousSecret
  /** 1 to 5. */
  readonly webhooks: readonly Webhook[]
  readonly successPolicy: SuccessPolicy
}

/** Where the events of a source go. `Webhooks` is its name in `integrations` too. */
export interface Destination {
  /** `dst_…` */
  readonly id: string
  readonly sourceId: string
  readonly type: 'Webhooks'
  readonly name: string
  readonly enabled: boolean
  /** While it is not `null`, deliveries are held instead of tried. */
  readonly paused: Pause | null
  readonly settings: WebhooksSettings
  readonly createdAt: number
  readonly updatedAt: number
  /** Counts changes; a change names the version it was made from. */
  readonly version: number
}
