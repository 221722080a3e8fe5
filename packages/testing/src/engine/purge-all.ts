import type { Deletions, Purge } from '../../../server/src/backend/deletions.ts'
import { NOON } from '../records/accepted-event.ts'

/** Begins the purge if needed, and purges until it is complete. */
export async function purgeAll(deletions: Deletions, purge: Purge): Promise<void> {
  await deletions.advance(purge.deletionId, 'purge', NOON)
  let cursor = await deletions.purge(purge)
  while (cursor !== null) cursor = await deletions.purge({ ...purge, cursor })
}
