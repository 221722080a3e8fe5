/**
 * The outcome of an event at a destination. `retrying`: an attempt failed, and another is due. `pending`: no attempt was
 * recorded, or none since the last replay or retry. `failed`: rejected, expired or quarantined, until a replay or a retry.
 * `declined`: no delivery was created, for one of `DECLINE_REASONS`, or the transform returned nothing.
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

/** The number of destinations with each outcome. Zeros are absent. */
export type EventOutcomes = Readonly<Partial<Record<EventOutcome, number>>>
