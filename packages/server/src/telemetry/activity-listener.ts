import type {
  AcceptedEvent,
  Attempt,
  DeclineReason,
  Delivery,
  IngestCodeName,
} from '@hookline/protocol'

/** What the pipeline decided for one event and one destination; for a duplicate, there is no destination. */
export interface DecisionActivity {
  readonly event: AcceptedEvent
  readonly destinationId: string | null
  readonly decision: 'deliver' | 'duplicate' | DeclineReason
}

/** A delivery as it was recorded, with the attempts since its last record. */
export interface DeliveryActivity {
  readonly delivery: Pick<Delivery, 'id' | 'eventId' | 'destinationId' | 'state' | 'replayId'>
  readonly attempts: readonly Pick<
    Attempt,
    'id' | 'number' | 'url' | 'outcome' | 'class' | 'status' | 'startedAt' | 'durationMs'
  >[]
  /** Whether this record ended the delivery. A delivered one may be recorded again for its other webhooks. */
  readonly isEnd: boolean
}

/** Profiles that entered or left an audience; or got a value of a computed trait, or another one, or lost it. */
export interface ChangeActivity {
  readonly computationId: string
  readonly entered: number
  readonly left: number
}

/** Ids that calls of a source named beside a userId, and that profiles did not link to it: `UnlinkedIds`. */
export interface UnlinkedActivity {
  readonly sourceId: string
  readonly reason: string
  readonly ids: number
}

/** Users whose events are removed, in these sources; `null` for all sources. Computed events are removed in any case. */
export interface PurgeActivity {
  readonly userIds: readonly string[]
  readonly anonymousIds: readonly string[]
  readonly sourceIds: readonly string[] | null
}

/** A record of the management API that has changed without a request, or goes on after one. */
export interface UpdateActivity {
  readonly resource: 'sources' | 'destinations' | 'audiences' | 'traits' | 'replays' | 'deletions'
  /** `null` for any of them. */
  readonly id: string | null
}

/**
 * Receives what ingestion, pipeline, delivery and deletions do, after it is durable: the live tail, the statistics
 * and the health of destinations are made from it. After a restart the same activity may be reported again.
 * A listener must not throw, and must return at once: it runs on the path of every event.
 */
export interface ActivityListener {
  /** These events are durable in the log. */
  received(events: readonly AcceptedEvent[]): void
  /**
   * So many calls were not kept: refused with this code, or left out because their user is suppressed. Calls without a
   * valid write key belong to no source.
   */
  refused(code: IngestCodeName | 'suppressed', calls: number, sourceId?: string): void
  decided(decision: DecisionActivity): void
  recorded(delivery: DeliveryActivity): void
  /** These changes are stored. The identify calls that tell them are `received`. */
  changed(change: ChangeActivity): void
  /** Profiles have these calls, without the ids. */
  unlinked(unlinked: UnlinkedActivity): void
  purged(purge: PurgeActivity): void
  /** What shows this record is out of date. */
  updated(update: UpdateActivity): void
}
