import type { Delivery } from '@hookline/protocol'

/** Something that was kept and cannot be read any more: a fault of Hookline's own. */
export interface Unreadable {
  /** Of a delivery or an event. */
  readonly id: string
  /** In words, without secrets. */
  readonly reason: string
}

/** What is to be taken out of the way, since when and why. */
export interface QuarantineItem extends Unreadable {
  /** Milliseconds since the epoch. */
  readonly at: number
  /** The delivery as it is, where it may not be recorded yet. */
  readonly delivery?: Delivery
}

/** Where goes what a fault of Hookline's own stopped: it neither spins, nor vanishes, nor stops others. */
export interface Quarantine {
  /**
   * Keeps why each was set aside; a delivery that has no end becomes `quarantined`, which no claim hands
   * out, and its claim ends. Durable when it resolves, all or none. Safe to call twice.
   */
  add(items: readonly QuarantineItem[]): Promise<void>
}
