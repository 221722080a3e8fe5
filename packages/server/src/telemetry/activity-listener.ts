import type {
  AcceptedEvent,
  Attempt,
  DeclineReason,
  Delivery,
  IngestCodeName,
} from '@hookline/protocol'

/** The pipeline's decision for one event and one destination; a duplicate has no destination. */
export interface DecisionActivity {
  readonly event: AcceptedEvent
  readonly destinationId: string | null
  readonly decision: 'deliver' | 'duplicate' | DeclineReason
}

/** A recorded delivery, with its attempts since the previous record. */
export interface DeliveryActivity {
  readonly delivery: Pick<Delivery, 'id' | 'eventId' | 'destinationId' | 'state' | 'replayId'>
  readonly attempts: readonly Pick<
    Attempt,
    'id' | 'number' | 'url' | 'outcome' | 'class' | 'status' | 'startedAt' | 'durationMs'
  >[]
  /** Whether this record ended the delivery. After a success, a delivery may be recorded again for its other webhooks. */
  readonly isEnd: boolean
}

/** Profiles that entered or left an audience, or for which a computed trait was set, changed or removed. */
export interface ChangeActivity {
  readonly computationId: string
  readonly entered: number
  readonly left: number
}

/** Ids in calls from a source that were not linked to the userId of the same call. `reason` is an `UnlinkedReason`. */
export interface UnlinkedActivity {
  readonly sourceId: string
  readonly reason: string
  readonly ids: number
}

/** Users whose events are removed, from these sources or, with `null`, from all. Their computed events are always removed. */
export interface PurgeActivity {
  readonly userIds: readonly string[]
  readonly anonymousIds: readonly string[]
  readonly sourceIds: readonly string[] | null
}

/** A record of the management API that changed without a request, or keeps changing after one. */
export interface UpdateActivity {
  readonly resource: 'sources' | 'destinations' | 'audiences' | 'traits' | 'replays' | 'deletions'
  /** `null` for any record of the resource. */
  readonly id: string | null
}

/** Refusals that are problems of the source or of the client as a whole, not of single calls. */
export const REFUSAL_REASONS = ['source_disabled', 'unknown_write_key', 'rate_limited'] as const

export type RefusalReason = (typeof REFUSAL_REASONS)[number]

export function isRefusalReason(code: string): code is RefusalReason {
  return (REFUSAL_REASONS as readonly string[]).includes(code)
}

/** Receives stored activity, perhaps twice after a restart, and rejected calls. Must not throw or block: every event waits for it. */
export interface ActivityListener {
  received(events: readonly AcceptedEvent[]): void
  /** Calls that were rejected or belong to a suppressed user. Without a valid write key, they have no source. */
  rejected(code: IngestCodeName | 'suppressed', calls: number, sourceId?: string): void
  decided(decision: DecisionActivity): void
  recorded(delivery: DeliveryActivity): void
  changed(change: ChangeActivity): void
  unlinked(unlinked: UnlinkedActivity): void
  purged(purge: PurgeActivity): void
  /** A record has changed, so views of it are out of date. */
  updated(update: UpdateActivity): void
}
