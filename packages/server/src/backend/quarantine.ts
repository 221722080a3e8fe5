import type { Delivery } from '@hookline/protocol'

/** A stored event or delivery that is damaged: a fault of the service itself. */
export interface Unreadable {
  /** Of a delivery or an event. */
  readonly id: string
  /** In words, without secrets. */
  readonly reason: string
  /** The bytes of an event or a message of the log that no archive has: the quarantine keeps them. */
  readonly content?: Uint8Array
}

export const DAMAGED_EVENT = 'The event in the database is damaged.'

/** What is to be quarantined, since when and why. */
export interface QuarantineItem extends Unreadable {
  /** Milliseconds since the epoch. */
  readonly at: number
  /** The delivery as it is, if it may not be recorded yet. */
  readonly delivery?: Delivery
}

/**
 * Events and deliveries that a fault of the service stopped. In quarantine they are not retried, not lost, and
 * block no others.
 */
export interface Quarantine {
  /**
   * Keeps the reason for each item. A delivery that has no end becomes `quarantined`: its claim ends, and it is not
   * handed out again. Writes nothing of an event that was purged, unless the item has its content. Durable when it resolves, all or none. Safe to call
   * twice.
   */
  add(items: readonly QuarantineItem[]): Promise<void>
}
