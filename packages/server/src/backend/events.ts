import type {
  AcceptedEvent,
  DeclineReason,
  EventOutcome,
  EventOutcomes,
  EventType,
} from '@hookline/protocol'
import type { Page, PageRequest } from './page.ts'

export interface DeclinedDestination {
  readonly destinationId: string
  readonly reason: DeclineReason
  /** When the destination was disabled, if that is the reason. */
  readonly since?: number
}

export interface EventToArchive {
  readonly event: AcceptedEvent
  readonly declined: readonly DeclinedDestination[]
}

export interface ArchivedEvent extends AcceptedEvent {
  readonly declined: readonly DeclinedDestination[]
  /**
   * The number of later calls with the same source and messageId, which were accepted and dropped.
   */
  readonly duplicates: number
  readonly lastDuplicateAt: number | null
}

export interface ListedEvent extends ArchivedEvent {
  /** Omits destinations that have no decision, or whose delivery is not recorded yet. */
  readonly outcomes: EventOutcomes
}

export interface EventFilter {
  readonly sourceId?: string
  readonly messageId?: string
  readonly type?: EventType
  readonly userId?: string
  readonly anonymousId?: string
  readonly event?: string
  readonly from?: number
  readonly to?: number
  readonly outcome?: EventOutcome
  readonly text?: string
}

/** The archive: every accepted event, and why destinations got no delivery of it. */
export interface Events {
  /**
   * Archives the events, and resolves to the ids of duplicates: events with the same source and
   * messageId as another event archived within the backend's window. Duplicates only add to the
   * count of the first event. Ignores purged events. Idempotent: an event is not a duplicate of
   * itself.
   */
  archive(entries: readonly EventToArchive[]): Promise<ReadonlySet<string>>

  /** The destinations that declined each event or have a delivery of it. Events without a decision are absent. */
  decidedDestinations(
    eventIds: readonly string[],
  ): Promise<ReadonlyMap<string, ReadonlySet<string>>>

  find(id: string): Promise<ArchivedEvent | undefined>

  /** The archived events among these, by id. */
  findAll(ids: readonly string[]): Promise<ReadonlyMap<string, ArchivedEvent>>

  /** Events, newest first. A page examines a bounded part of the archive, so it may be short or empty and have a next one. */
  list(filter: EventFilter, page: PageRequest): Promise<Page<ListedEvent>>
}
