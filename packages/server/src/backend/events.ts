import type {
  AcceptedEvent,
  DeclineReason,
  EventOutcome,
  EventOutcomes,
  EventType,
} from '@hookline/protocol'
import type { Page, PageRequest } from './page.ts'

/** Why an event makes no delivery to a destination. */
export interface Declined {
  readonly destinationId: string
  readonly reason: DeclineReason
  /** Since when the destination was disabled, if that is the reason, in milliseconds since the epoch; absent if unknown. */
  readonly since?: number
}

/** An event on its way into the archive, with the destinations that get no delivery of it. */
export interface Archiving {
  readonly event: AcceptedEvent
  readonly declined: readonly Declined[]
}

/** An event in the archive. */
export interface ArchivedEvent extends AcceptedEvent {
  readonly declined: readonly Declined[]
  /** How many later calls with the same source and messageId got a 200 and were dropped. */
  readonly duplicates: number
  /**
   * When the last of them arrived, in milliseconds since the epoch; `null` if there is none, or an earlier version of
   * Hookline received it.
   */
  readonly lastDuplicateAt: number | null
}

/** An event in a list. */
export interface ListedEvent extends ArchivedEvent {
  /** Without the destinations that are being decided on, or delivered to for the first time. */
  readonly outcomes: EventOutcomes
}

/** Which events a list shows: those that meet every condition. */
export interface EventFilter {
  readonly sourceId?: string
  readonly messageId?: string
  readonly type?: EventType
  readonly userId?: string
  readonly anonymousId?: string
  /** The name of a track event. */
  readonly event?: string
  /** Received at this time or later, in milliseconds since the epoch. */
  readonly from?: number
  /** Received before this time. */
  readonly to?: number
  /** What became of it at one of its destinations at least. */
  readonly outcome?: EventOutcome
  /** A text anywhere in the JSON of the call, in names or values, in upper or lower case. */
  readonly text?: string
}

/** The archive: every accepted event, and for each destination that got no delivery of it, the reason. */
export interface Events {
  /**
   * Archives the events, and resolves to the ids of the duplicates among them: another event with the same
   * source and messageId was archived before, within the backend's window. A duplicate is not archived; the first event
   * counts it. Writes nothing of an event that was purged. Durable when it resolves. Safe to call twice: an event is
   * never a duplicate of itself.
   */
  archive(entries: readonly Archiving[]): Promise<ReadonlySet<string>>

  /**
   * For each of these events that was decided on before: the ids of the destinations that it was declined for, or that have
   * a delivery of it. One query for all of them. Events without a decision are absent.
   */
  standingOf(eventIds: readonly string[]): Promise<ReadonlyMap<string, ReadonlySet<string>>>

  find(id: string): Promise<ArchivedEvent | undefined>

  /**
   * Archived events, newest first. Each page looks through a bounded part of the archive. Where few events meet the
   * filter, a page may therefore be short, even empty, and still have a next one.
   */
  list(filter: EventFilter, page: PageRequest): Promise<Page<ListedEvent>>
}
