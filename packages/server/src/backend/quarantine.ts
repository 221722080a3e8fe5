import type { Delivery } from '@hookline/protocol'

export interface UnreadableRecord {
  readonly id: string
  readonly reason: string
  /** The bytes of an event or a log message that is not archived, to store in the quarantine. */
  readonly content?: Uint8Array
}

export const CORRUPTED_EVENT = 'The event in the database is corrupted.'

export interface QuarantineItem extends UnreadableRecord {
  readonly at: number
  /** The current delivery, in case it is not recorded yet. */
  readonly delivery?: Delivery
}

/** Events and deliveries that the service cannot process because of a fault. They are stored, not retried, and block no others. */
export interface Quarantine {
  /** Ends unfinished deliveries and their claims. Ignores purged events, unless the item has the content. */
  add(items: readonly QuarantineItem[]): Promise<void>
}
