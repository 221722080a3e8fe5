import type { Carried } from '@hookline/protocol'
import type { Subject } from './deletions.ts'
import type { DeliveryHistory, DeliveryQueue } from './deliveries.ts'
import type { Page, PageRequest } from './page.ts'
import type { Quarantine } from './quarantine.ts'
import type { WaitingDeliveries } from './upkeep.ts'

/** A notice to be sent: it tells one destination that a user was deleted. */
export interface NewNotice {
  /** `msg_…`, the `webhook-id` of every attempt. */
  readonly id: string
  readonly deletionId: string
  readonly sourceId: string
  readonly destinationId: string
  readonly subject: Subject
  /** When the deletion was requested, in milliseconds since the epoch. */
  readonly createdAt: number
  /** When the first attempt is due. */
  readonly dueAt: number
}

/** A notice with its attempts. */
export interface NoticeHistory extends DeliveryHistory {
  readonly sourceId: string
  readonly subject: Subject
}

/** The progress of the notices of one deletion to one destination. */
export interface NoticeProgress {
  readonly sourceId: string
  readonly destinationId: string
  /** Notices by state; `waiting` are those that are pending or held. */
  readonly counts: {
    readonly waiting: number
    readonly delivered: number
    readonly failed: number
  }
  /** HTTP requests made. */
  readonly attempts: number
  /** When the last notice was delivered, in milliseconds since the epoch. */
  readonly notifiedAt: number | null
}

/**
 * The queue of the lanes of notices. A notice is a delivery that carries no event: its `eventId` is the id of the
 * deletion.
 */
export interface NoticeQueue extends DeliveryQueue<Carried>, Quarantine {
  /** How many notices have no end yet: one entry for each destination and state that has any. */
  backlog(): Promise<{ readonly waiting: readonly WaitingDeliveries[] }>
}

/** Deletion notices and their results, kept as long as their deletion. */
export interface Notices {
  /**
   * Keeps new notices. Durable when it resolves, all or none. Safe to call twice: a notice that exists stays
   * as it is.
   */
  create(notices: readonly NewNotice[]): Promise<void>

  /** One entry for each source and destination that the deletion notifies. */
  progress(deletionId: string): Promise<readonly NoticeProgress[]>

  /** Notices of a deletion, by id. */
  list(deletionId: string, page: PageRequest): Promise<Page<NoticeHistory>>
}
