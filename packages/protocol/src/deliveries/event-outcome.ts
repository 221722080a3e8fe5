/**
 * What became of an event at a destination. `retrying`: an attempt failed, and another will be made. `pending`: no attempt was
 * recorded, or none since the last replay or retry. `failed`: rejected, expired or quarantined, until a replay or a retry.
 * `declined`: there is no delivery, for a reason.
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
