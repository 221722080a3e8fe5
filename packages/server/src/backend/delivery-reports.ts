import type { AttemptClass } from '@hookline/protocol'

/** Deliveries that failed alike and are not delivered: their webhooks last answered with this class and status. */
export interface FailureGroup {
  readonly destinationId: string
  readonly class: AttemptClass
  /** The HTTP status; `null` where there was no answer. */
  readonly status: number | null
  readonly count: number
  /** When the oldest of them first became due, in milliseconds since the epoch. */
  readonly firstSeenAt: number
  /** When the last attempt was made. */
  readonly lastSeenAt: number
  /** The newest of them. */
  readonly sampleDeliveryId: string
}

export interface Failures {
  readonly groups: readonly FailureGroup[]
  /** False where a destination has so many failures that only its newest were counted. */
  readonly isComplete: boolean
}

/** What deliveries amount to, over many of them. Bounded work, however many there are. */
export interface DeliveryReports {
  /** Failures grouped, the largest group first. Without a destination, of all. */
  failures(filter: { readonly destinationId?: string }): Promise<Failures>
  /**
   * When the oldest event was received that a destination has pending, in milliseconds since the epoch;
   * `undefined` where none is. Looked for among those that have been due the longest.
   */
  oldestPendingAt(destinationId: string): Promise<number | undefined>
}
