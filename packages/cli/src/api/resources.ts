import type { JsonObject } from '@hookline/protocol'

/** What the management API answers, as far as the commands read it. Times are ISO 8601. */
export interface SourceShown {
  readonly id: string
  readonly name: string
  readonly enabled: boolean
  readonly rateLimit: number | null
  readonly writeKeys: readonly { readonly key: string; readonly lastUsedAt: string | null }[]
}

export interface DestinationShown {
  readonly id: string
  readonly sourceId: string
  readonly name: string
  readonly enabled: boolean
  readonly paused: { readonly since: string; readonly reason: string } | null
  readonly settings: {
    readonly sharedSecret: { readonly set: boolean; readonly last4?: string }
    readonly webhooks: readonly {
      readonly url: string
      readonly headers: Readonly<Record<string, unknown>>
      readonly paused: { readonly since: string } | null
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
    /** Whatever the client put there. */
    readonly context: JsonObject
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

/** What a destination was sent to try it out. */
export interface TrialShown {
  readonly webhooks: readonly {
    readonly url: string
    readonly request: { readonly headers: Readonly<Record<string, string>>; readonly body: string }
    /** `null` where nothing was sent. */
    readonly attempt:
      (Omit<AttemptShown, 'id' | 'number' | 'url'> & { readonly body?: string }) | null
  }[]
}

export interface ReplayShown {
  readonly id: string
  readonly state: string
  readonly destinationId: string
  readonly requeued: number
  readonly delivered: number
  readonly failed: number
  readonly createdAt: string
}

export interface DeletionShown {
  readonly id: string
  readonly state: string
  readonly users: number
  readonly createdAt: string
}

/** One page of a list. */
export interface PageShown<T> {
  readonly data: readonly T[]
  readonly nextCursor: string | null
}
