import { type Destination, newId, type Source } from '@hookline/protocol'
import type { Backend } from '../../src/backend/backend.ts'
import type { DeletionRequest } from '../../src/backend/deletions.ts'
import { openEmbeddedBackend } from '../../src/backend/embedded/open.ts'
import { NOON } from '../harness/accepted-event.ts'

export const openIn = (dataDir: string): Promise<Backend> =>
  openEmbeddedBackend({ dataDir, maxWaitingBytes: 2 ** 26 })

function source(id: string): Source {
  const times = { createdAt: NOON, updatedAt: NOON, version: 1 }
  return { id, name: id, enabled: true, rateLimit: null, writeKeys: [], ...times }
}

function destination(id: string, change: Partial<Destination> = {}): Destination {
  return {
    id,
    sourceId: 'src_a',
    type: 'Webhooks',
    name: id,
    enabled: true,
    paused: null,
    settings: {
      sharedSecret: null,
      webhooks: [{ url: 'https://example.com/', headers: {} }],
      successPolicy: 'any',
    },
    createdAt: NOON,
    updatedAt: NOON,
    version: 1,
    ...change,
  }
}

/** Two sources, with a destination that is on in each, and one that is off. */
export async function setUp({ catalog }: Backend): Promise<void> {
  await catalog.putSource(source('src_a'))
  await catalog.putSource(source('src_b'))
  await catalog.putDestination(destination('dst_a'))
  await catalog.putDestination(destination('dst_off', { enabled: false }))
  await catalog.putDestination(destination('dst_b', { sourceId: 'src_b' }))
}

/** Asks for the deletion of these users; gives its id. */
export async function ask(
  { deletions }: Backend,
  userIds: readonly string[],
  change: Partial<DeletionRequest> = {},
): Promise<string> {
  const id = newId('del', NOON)
  const request = { id, createdAt: NOON, sourceIds: null, suppress: false, users: userIds.length }
  await deletions.create({ ...request, ...change }, userIds)
  return id
}
