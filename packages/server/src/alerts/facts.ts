import type { AttemptClass, Destination, WebhookState } from '@hookline/protocol'
import type { FailureGroup, WaitingParts } from '../backend/deliveries.ts'
import type { Disk } from '../backend/upkeep.ts'
import type { RefusalReason } from '../telemetry/activity-listener.ts'
import type { DestinationResults } from './recent-results.ts'

export interface WebhookFacts {
  readonly url: string
  readonly state: WebhookState
  readonly waiting: WaitingParts
  readonly retryWindowMs: number
}

export interface DestinationFacts {
  readonly destination: Destination
  readonly pending: number
  readonly held: number
  /** Paused webhooks are omitted. */
  readonly webhooks: readonly WebhookFacts[]
  readonly results: DestinationResults | undefined
  /** The last attempt succeeded, and none has failed for a while. */
  readonly hasRecovered: boolean
  /** Deliveries that expired in the last day and have not been delivered since. */
  readonly expired: LostDeliveries | undefined
  /** Deliveries that were rejected in the last hour and have not been delivered since. */
  readonly rejected: LostDeliveries | undefined
  /** Largest first. */
  readonly failures: readonly FailureGroup[]
  readonly certificates: readonly { readonly url: string; readonly expiresAt: number }[]
  /** The URLs of webhooks whose retry window is not shorter than `retention`. */
  readonly longRetryWindows: readonly string[]
}

interface LostDeliveries {
  readonly count: number
  readonly firstAt: number
  /** The class of the newest one's last rejected attempt, if any. */
  readonly class?: AttemptClass
}

interface SourceFacts {
  /** Empty if no source is known. */
  readonly id: string
  readonly name: string
}

export interface ProblemFacts {
  /** The system clock. */
  readonly now: number
  readonly destinations: readonly DestinationFacts[]
  /** The number of destinations beyond the limit. */
  readonly uncheckedDestinations: number
  readonly refused: readonly {
    readonly source: SourceFacts
    readonly reason: RefusalReason
    readonly count: number
    readonly since: number
  }[]
  readonly unlinked: readonly {
    readonly source: SourceFacts
    readonly reason: 'placeholder' | 'limit'
    readonly count: number
  }[]
  readonly quarantined: number
  /** A description is absent for readers who are not admins. */
  readonly corruptions: readonly { readonly foundAt: number; readonly description?: string }[]
  /** Events, decisions and deliveries that are missing for no known reason. */
  readonly missing: number
  readonly disk: Disk | null
  readonly lastBackupAt: number | null
  readonly lostNodes: readonly { readonly id: string; readonly seenAt: number }[]
  readonly missedBySyncs: readonly {
    readonly id: string
    readonly name: string
    readonly count: number
  }[]
  /** The checks of `/readyz`. */
  readonly checks: Readonly<
    Record<string, { readonly ok: boolean; readonly note?: string; readonly reason?: string }>
  >
}
