import type { Destination } from '@hookline/protocol'

/** The changed destination, with the time of this change if it was enabled, disabled or created by it. */
export function withToggle(
  changed: Destination,
  before: Pick<Destination, 'enabled'> | undefined,
  now: number,
): Destination {
  return changed.enabled === before?.enabled ? changed : { ...changed, enabledChangedAt: now }
}
