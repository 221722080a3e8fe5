import type { Computation } from '@hookline/protocol'
import type { AdminDeps } from '../api/admin-deps.ts'
import { syncsAfterChange } from './syncs-after-change.ts'

/** Starts the syncs that a change makes necessary. @param before `undefined` for a new record */
export async function requestSyncs(
  before: Computation | undefined,
  next: Computation,
  { computations, wake }: AdminDeps,
): Promise<void> {
  for (const { reason, destinationIds } of syncsAfterChange(before, next))
    await computations.requestSync(next.id, reason, destinationIds)
  wake()
}
