import type { DeclineReason, Destination, Event, JsonObject } from '@hookline/protocol'

/** What becomes of one event at one destination. */
export type Decision = 'deliver' | DeclineReason

/** Pure: the same event and destination always get the same decision (spec 02 §Which events). */
export function decide(event: Event, destination: Destination): Decision {
  if (!destination.enabled) return 'destination_disabled'
  return isEnabledBy(event.integrations ?? {}, destination) ? 'deliver' : 'integrations'
}

/**
 * The narrowest key decides: the destination's id, then its type, then `All` (or `all`, as one client
 * writes it). Names are case sensitive. Absent means enabled.
 */
function isEnabledBy(integrations: JsonObject, { id, type }: Destination): boolean {
  const all = flagOf(integrations, 'All') ?? flagOf(integrations, 'all')
  return flagOf(integrations, id) ?? flagOf(integrations, type) ?? all ?? true
}

/** `true` or an object of options enables, `false` disables; anything else says nothing. */
function flagOf(integrations: JsonObject, key: string): boolean | undefined {
  const value = Object.hasOwn(integrations, key) ? integrations[key] : undefined
  if (typeof value === 'boolean') return value
  return typeof value === 'object' && value !== null ? true : undefined
}
