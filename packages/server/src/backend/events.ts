import type { AcceptedEvent, DeclineReason, EventType } from '@hookline/protocol'
import type { Page, PageRequest } from './page.ts'

/** Why an event makes no delivery to a destination. */
export interface Declined {
  readonly destinationId: string
  readonly reason: DeclineReason
}

/** An event on its way into the archive, with the decisions that made no delivery. */
export interface Archiving {
  readonly event: AcceptedEvent
  readonly declined: readonly Declined[]
}

/** An event as the archive gives it back. */
export interface ArchivedEvent extends AcceptedEvent {
  readonly declined: readonly Declined[]
  /** How many later calls with the same source and messageId were answered 200 and left out. */
  readonly duplicates: number
}

export interface EventFilter {
  readonly sourceId?: string
  readonly messageId?: string
  readonly type?: EventType
  readonly userId?: string
  readonly anonymousId?: string
  /** The name of a track event. */
  readonly event?: string
  /** Received at this moment or later, in milliseconds since the epoch. */
  readonly from?: number
  /** Received before this moment. */
  readonly to?: number
  /** Stands anywhere in the call, in names or values, whatever the case of its letters (ASCII). */
  readonly text?: string
}

/** The archive: what was received, and why it went nowhere where it did. */
export interface Events {
  /**
   * Archives the events and returns the ids of those that are duplicates: another event with the same
   * source and messageId came before it within the backend's window. A duplicate is counted on the first
   * and not kept. Durable when it resolves; safe to call twice for the same event, which never becomes
   * a duplicate of itself.
   */
  archive(entries: readonly Archiving[]): Promise<ReadonlySet<string>>

  /** The archived event with this id. */
  find(id: string): Promise<ArchivedEvent | undefined>

  /**
   * Archived events, newest first. Where a filter is met seldom, a page may be short, even empty, and still
   * have a next one: no page looks through more than a bounded part of the archive.
   */
  list(filter: EventFilter, page: PageRequest): Promise<Page<ArchivedEvent>>
}
