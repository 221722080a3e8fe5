import type { Computation } from '@hookline/protocol'
import { isDeepStrictEqual } from 'node:util'
import type { SyncReason } from '../../backend/syncs.ts'

interface RequestedSync {
  readonly reason: SyncReason
  /** The destinations that get the value of every user. */
  readonly destinationIds?: readonly string[]
}

/**
 * The syncs that a change makes necessary. While a computation is disabled they wait, so a destination that is added then
 * is not forgotten. @param before `undefined` for a new record
 */
export function syncsAfterChange(
  before: Computation | undefined,
  next: Computation,
): readonly RequestedSync[] {
  if (before === undefined) return next.enabled ? [{ reason: 'created' }] : []
  const added = next.destinationIds.filter((id) => !before.destinationIds.includes(id))
  const isChanged = !before.enabled || !isDeepStrictEqual(definitionOf(before), definitionOf(next))
  return [
    ...(next.enabled && isChanged ? [{ reason: 'changed' as const }] : []),
    ...(added.length > 0 ? [{ reason: 'destination_added' as const, destinationIds: added }] : []),
  ]
}

function definitionOf(record: Computation): unknown {
  return record.kind === 'audience' ? record.condition : record.compute
}
