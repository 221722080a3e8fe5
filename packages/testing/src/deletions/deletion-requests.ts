import { newId } from '@hookline/protocol'
import type { Backend } from '../../../server/src/backend/backend.ts'
import type { DeletionRequest } from '../../../server/src/backend/deletions.ts'
import { openEmbeddedBackend } from '../../../server/src/backend/embedded/open.ts'
import { NOON } from '../records/accepted-event.ts'
import { newDestination, newSource } from '../records/catalog-records.ts'

export const openBackendIn = (dataDir: string): Promise<Backend> =>
  openEmbeddedBackend({ dataDir, maxWaitingBytes: 2 ** 26 })

/** Creates two sources: one with an enabled and a disabled destination, and one with an enabled destination. */
export async function createSources({ catalog }: Backend): Promise<void> {
  await catalog.putSource(newSource({ id: 'src_a' }))
  await catalog.putSource(newSource({ id: 'src_b' }))
  await catalog.putDestination(newDestination())
  await catalog.putDestination(newDestination({ id: 'dst_off', enabled: false }))
  await catalog.putDestination(newDestination({ id: 'dst_b', sourceId: 'src_b' }))
}

export async function requestDeletion(
  { deletions }: Backend,
  userIds: readonly string[],
  change: Partial<DeletionRequest> = {},
): Promise<string> {
  const id = newId('del', NOON)
  const request = { id, createdAt: NOON, sourceIds: null, suppress: false, users: userIds.length }
  await deletions.create({ ...request, ...change }, { userIds })
  return id
}
