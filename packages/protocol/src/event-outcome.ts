/**
 * What became of an event at a destination. `retrying`: an attempt was made, and another will be. `pending`: no attempt was
 * made yet. `failed`: rejected, expired or quarantined, until a replay. `declined`: there is no delivery, for a reason.
 */
export const EVENT_OUTCOMES = [
  'failed',
  'retrying',
  'held',
  'pending',
  'declined',
  'delivered',
] as const

export type EventOutcome = (typeof EVENT_OUTCOMES)[number]

/** How many destinations have each outcome; absent for none. */
export type EventOutcomes = Readonly<Partial<Record<EventOutcome, number>>>
