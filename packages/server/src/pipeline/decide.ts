import type { AcceptedEvent, DeclineReason, Destination, JsonObject } from '@hookline/protocol'
import type { DeclinedDestination } from '../backend/events.ts'
import { excludedBy } from '../routing/filter.ts'

type Decision = 'deliver' | DeclineReason

/** Decides whether a destination gets an event, and if not, why. Pure. `integrations`: from the event, parsed once for all destinations. */
export function decide(
  event: AcceptedEvent,
  integrations: JsonObject | undefined,
  destination: Destination,
): Decision {
  if (!destination.enabled) return 'destination_disabled'
  if (integrations !== undefined && !isEnabledBy(integrations, destination)) return 'integrations'
  return excludedBy(destination, event) ?? 'deliver'
}

export function declinedBy(
  { id: destinationId, enabledChangedAt: since }: Destination,
  reason: DeclineReason,
): DeclinedDestination {
  const isDisabled = reason === 'destination_disabled' && since !== undefined
  return { destinationId, reason, ...(isDisabled && { since }) }
}

/** The most specific key decides: the destination's id, then its type, then `All` (or `all`, which one client sends). */
function isEnabledBy(integrations: JsonObject, { id, type }: Destination): boolean {
  const all = flagOf(integrations, 'All') ?? flagOf(integrations, 'all')
  return flagOf(integrations, id) ?? flagOf(integrations, type) ?? all ?? true
}

/** `true` and an object of options enable, `false` disables; other values are ignored. */
function flagOf(integrations: JsonObject, key: string): boolean | undefined {
  const value = Object.hasOwn(integrations, key) ? integrations[key] : undefined
  if (typeof value === 'boolean') return value
  return typeof value === 'object' && value !== null ? true : undefined
}
