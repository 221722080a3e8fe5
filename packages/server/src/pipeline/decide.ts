import type { AcceptedEvent, DeclineReason, Destination, JsonObject } from '@hookline/protocol'

/** Whether one event is delivered to one destination, or why not. */
export type Decision = 'deliver' | DeclineReason

/** The decision for an event and a destination (spec 02 §Which events). Pure. */
export function decide(
  { integrations = {} }: Pick<AcceptedEvent, 'integrations'>,
  destination: Destination,
): Decision {
  if (!destination.enabled) return 'destination_disabled'
  return isEnabledBy(integrations, destination) ? 'deliver' : 'integrations'
}

/**
 * Whether `integrations` enables the destination. The most specific key decides: the destination's id, then its type,
 * then `All` (or `all`, which one client sends). Names are case sensitive. Without a key the destination is enabled.
 */
function isEnabledBy(integrations: JsonObject, { id, type }: Destination): boolean {
  const all = flagOf(integrations, 'All') ?? flagOf(integrations, 'all')
  return flagOf(integrations, id) ?? flagOf(integrations, type) ?? all ?? true
}

/** `true` and an object of options enable, `false` disables; any other value is ignored. */
function flagOf(integrations: JsonObject, key: string): boolean | undefined {
  const value = Object.hasOwn(integrations, key) ? integrations[key] : undefined
  if (typeof value === 'boolean') return value
  return typeof value === 'object' && value !== null ? true : undefined
}
