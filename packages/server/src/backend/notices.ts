import type { DeliveryContent } from '@hookline/protocol'
import type { Subject } from './deletions.ts'
import type { DeliveryHistory, DeliveryQueue } from './deliveries.ts'
import type { Page, PageRequest } from './page.ts'
import type { Quarantine } from './quarantine.ts'
import type { WaitingDeliveries } from './upkeep.ts'

/** A notice to one destination that a user was deleted. */
export interface NewNotice {
  /** `msg_…`, the `webhook-id` of every attempt. */
  readonly id: string
  readonly deletionId: string
  readonly sourceId: string
  readonly destinationId: string
  readonly subject: Subject
  readonly createdAt: number
  readonly dueAt: number
}

export interface NoticeHistory extends DeliveryHistory {
  readonly sourceId: string
  readonly subject: Subject
}

/** The progress of one deletion's notices to one destination. */
export interface NoticeProgress {
  readonly sourceId: string
  readonly destinationId: string
  /** Notices by state; `waiting`: pending or held. */
  readonly counts: {
    readonly waiting: number
    readonly delivered: number
    readonly failed: number
  }
  readonly attempts: number
  readonly notifiedAt: number | null
}

/** The delivery queue of notices. A notice is a delivery without an event: its `eventId` is the id of the deletion. */
export interface NoticeQueue extends DeliveryQueue<DeliveryContent>, Quarantine {
  backlog(): Promise<{ readonly waiting: readonly WaitingDeliveries[] }>
}

export interface Notices {
  create(notices: readonly NewNotice[]): Promise<void>

  progress(deletionId: string): Promise<readonly NoticeProgress[]>

  list(deletionId: string, page: PageRequest): Promise<Page<NoticeHistory>>
}
