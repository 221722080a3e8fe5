import type { Carried } from '@hookline/protocol'
import type { DeliveryHistory, DeliveryQueue } from './deliveries.ts'
import type { Page, PageRequest } from './page.ts'
import type { Quarantine } from './quarantine.ts'
import type { WaitingDeliveries } from './upkeep.ts'

/** A notice to be sent: that a user was deleted, to one destination. */
export interface NewNotice {
  /** `msg_…`, the `webhook-id` of every attempt. */
  readonly id: string
  readonly deletionId: string
  readonly sourceId: string
  readonly destinationId: string
  readonly userId: string
  /** When the deletion was asked for, in milliseconds since the epoch. */
  readonly createdAt: number
  /** When the first round is due. */
  readonly dueAt: number
}

/** A notice with what became of it. */
export interface NoticeHistory extends DeliveryHistory {
  readonly sourceId: string
  readonly userId: string
}

/** What became of the notices of a deletion to one destination. */
export interface NoticeProgress {
  readonly sourceId: string
  readonly destinationId: string
  /** Notices by state. */
  readonly counts: {
    readonly waiting: number
    readonly delivered: number
    readonly failed: number
  }
  /** HTTP requests made. */
  readonly attempts: number
  /** When the last of those delivered was, in milliseconds since the epoch. */
  readonly notifiedAt: number | null
}

/**
 * Where the lanes of notices keep them: deliveries that carry no event. As a delivery, a notice has the id
 * of its deletion for an `eventId`.
 */
export interface NoticeQueue extends DeliveryQueue<Carried>, Quarantine {
  /** One entry for each destination and state that has notices without an end. */
  backlog(): Promise<{ readonly waiting: readonly WaitingDeliveries[] }>
}

/** Deletion notices and what became of them. They are kept for as long as their deletion is. */
export interface Notices {
  /** Keeps new notices, each once: one that is there already stays as it is. Durable when it resolves. */
  create(notices: readonly NewNotice[]): Promise<void>

  /** One entry for each source and destination that the deletion notifies. */
  progress(deletionId: string): Promise<readonly NoticeProgress[]>

  /** Notices of a deletion, by id. */
  list(deletionId: string, page: PageRequest): Promise<Page<NoticeHistory>>
}
