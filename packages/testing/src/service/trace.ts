import type { Attempt, DeliveryState } from '@hookline/protocol'

export interface Trace {
  readonly id: string
  readonly sourceId: string
  readonly receivedAt: string
  readonly event: Readonly<Record<string, unknown>>
  readonly duplicates: number
  readonly traceId: string | null
  readonly traceUrl: string | null
  readonly lastDuplicateAt: string | null
  readonly decisions: readonly {
    readonly destinationId: string
    readonly decision: 'deliver' | 'declined' | 'pending' | 'none'
    readonly reason: string | null
  }[]
  readonly deliveries: readonly TracedDelivery[]
}

export interface TracedDelivery {
  readonly id: string
  readonly destinationId: string
  readonly state: DeliveryState
  readonly attemptCount: number
  readonly firstDueAt: string
  readonly nextAttemptAt: string | null
  readonly attempts: readonly TracedAttempt[]
}

export interface TracedAttempt {
  readonly number: number
  readonly url: string
  readonly startedAt: string
  readonly durationMs: number
  readonly outcome: Attempt['outcome']
  readonly class: string
  readonly status?: number
  readonly error?: string
}
