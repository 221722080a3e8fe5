import { type AcceptedEvent, newId } from '@hookline/protocol'
import type { Deletion, DeletionRequest, Purge } from '../../../../src/backend/deletions.ts'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { purgeAll } from '@hookline/testing/engine/purge-all'
import type { BackendHarness } from '../backend-harness.ts'

/** Creates a deletion, of u1 by default. */
export async function request(
  { backend }: BackendHarness,
  change: Partial<DeletionRequest> = {},
  userIds: readonly string[] = ['u1'],
): Promise<DeletionRequest> {
  const createdAt = change.createdAt ?? NOON
  const deletion: DeletionRequest = {
    id: newId('del', createdAt),
    createdAt,
    sourceIds: null,
    suppress: false,
    users: userIds.length,
    ...change,
  }
  await backend.deletions.create(deletion, { userIds })
  return deletion
}

/** Appends events in one entry, and resolves when they are archived. */
export async function receive(
  harness: BackendHarness,
  ...given: readonly Parameters<typeof acceptedEvent>[0][]
): Promise<AcceptedEvent[]> {
  const events = given.map(acceptedEvent)
  await harness.backend.log.append(events)
  await harness.settle()
  return events
}

/** Purges, and returns the deletion afterwards. */
export async function afterPurge({ backend }: BackendHarness, purge: Purge): Promise<Deletion> {
  await purgeAll(backend.deletions, purge)
  return (await backend.deletions.find(purge.deletionId))!
}

/** The ids of the events in the archive, newest first. */
export async function keptIds({ backend }: BackendHarness): Promise<string[]> {
  return (await backend.events.list({}, { limit: 200 })).data.map(({ id }) => id)
}

/** Purges one user from these sources, or from all. */
export async function purgeUser(
  harness: BackendHarness,
  userId: string,
  sourceIds: readonly string[] | null = null,
): Promise<void> {
  const { id: deletionId } = await request(harness, { sourceIds }, [userId])
  await purgeAll(harness.backend.deletions, { deletionId, userIds: [userId], sourceIds })
}

/** Purges anonymousIds from these sources, or from all. Returns the deletion afterwards. */
export async function purgeAnonymous(
  { backend }: BackendHarness,
  anonymousIds: readonly string[],
  sourceIds: readonly string[] | null = null,
): Promise<Deletion> {
  const id = newId('del', NOON)
  const counts = { users: 0, anonymousUsers: anonymousIds.length }
  const deletion = { id, createdAt: NOON, sourceIds, suppress: false, ...counts }
  await backend.deletions.create(deletion, { userIds: [], anonymousIds })
  await purgeAll(backend.deletions, { deletionId: id, userIds: [], anonymousIds, sourceIds })
  return (await backend.deletions.find(id))!
}
