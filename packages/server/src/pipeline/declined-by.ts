import type { DeclineReason, Destination } from '@hookline/protocol'
import type { Declined } from '../backend/events.ts'

/** What the archive says of a destination that does not get an event. */
export function declinedBy(
  { id: destinationId, enabledChangedAt: since }: Destination,
  reason: DeclineReason,
): Declined {
  const isDisabled = reason === 'destination_disabled' && since !== undefined
  return { destinationId, reason, ...(isDisabled && { since }) }
}
