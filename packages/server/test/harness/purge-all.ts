import type { Deletions, Purge } from '../../src/backend/deletions.ts'

/** Purges slice by slice until nothing is left. The number of slices depends on the speed of the machine. */
export async function purgeAll(deletions: Deletions, purge: Purge): Promise<void> {
  let cursor = await deletions.purge(purge)
  while (cursor !== null) cursor = await deletions.purge({ ...purge, cursor })
}
