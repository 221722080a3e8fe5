import type { Deletions, Purge } from '../../../server/src/backend/deletions.ts'
import { NOON } from '../records/accepted-event.ts'

/**
 * Begins the purge if it has not begun, and purges slice by slice until nothing is left. The number of slices depends on
 * the speed of the machine.
 */
export async function purgeAll(deletions: Deletions, purge: Purge): Promise<void> {
  await deletions.advance(purge.deletionId, 'purge', NOON)
  let cursor = await deletions.purge(purge)
  while (cursor !== null) cursor = await deletions.purge({ ...purge, cursor })
}
