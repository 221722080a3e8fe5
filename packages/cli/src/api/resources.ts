/** What the management API answers, as far as the commands read it. Times are ISO 8601. */
export interface SourceShown {
  readonly id: string
  readonly name: string
  readonly enabled: boolean
  readonly rateLimit: number | null
  readonly writeKeys: readonly { readonly key: string }[]
}

export interface DestinationShown {
  readonly id: string
  readonly sourceId: string
  readonly name: string
  readonly enabled: boolean
  readonly settings: {
    readonly sharedSecret: { readonly set: boolean; readonly last4?: string }
    readonly webhooks: readonly {
      readonly url: string
      readonly headers: Readonly<Record<string, unknown>>
    }[]
    readonly successPolicy: string
  }
}

export interface AttemptShown {
  readonly id: string
  readonly number: number
  readonly url: string
  readonly startedAt: string
  readonly durationMs: number
  /** `lookupMs` and so on: what of it each step took, as far as it came. */
  readonly timing: Readonly<Record<string, number>>
  readonly outcome: 'delivered' | 'retry' | 'rejected'
  readonly class: string
  readonly status?: number
  readonly error?: string
}

export interface DeliveryShown {
  readonly id: string
  readonly eventId: string
  readonly destinationId: string
  readonly state: string
  readonly rounds: number
  readonly nextAttemptAt: string | null
  readonly attempts: readonly AttemptShown[]
}

export interface EventShown {
  readonly id: string
  readonly receivedAt: string
  readonly event: {
    readonly type: string
    readonly messageId: string
    readonly userId?: string
    readonly anonymousId?: string
    readonly event?: string
    readonly name?: string
  }
  readonly marks: readonly string[]
  readonly duplicates: number
}

export interface TraceShown extends EventShown {
  readonly source: { readonly id: string; readonly name: string | null }
  readonly decisions: readonly {
    readonly destinationId: string
    readonly decision: 'deliver' | 'declined' | 'pending'
    readonly reason: string | null
    readonly explanation: string
  }[]
  readonly deliveries: readonly DeliveryShown[]
}

/** One page of a list. */
export interface PageShown<T> {
  readonly data: readonly T[]
  readonly nextCursor: string | null
}
