import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import type { Backend } from '../../../../src/backend/backend.ts'
import { positionFinder } from '../../../../src/backend/embedded/deletions/sqlite-purge.ts'
import { joinEmbeddedBackend, type ConnectionData } from '../../../../src/backend/embedded/join.ts'
import { openEmbeddedBackend } from '../../../../src/backend/embedded/open.ts'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { purgeAll } from '@hookline/testing/engine/purge-all'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'

const openIn = ({ path: dataDir }: TemporaryFolder): Promise<Backend> =>
  openEmbeddedBackend({ dataDir, maxWaitingBytes: 2 ** 20 })

/** Purges u1. */
async function purge({ deletions }: Backend): Promise<void> {
  const request = { id: 'del_a', createdAt: NOON, sourceIds: null, suppress: false, users: 1 }
  await deletions.create(request, { userIds: ['u1'] })
  await purgeAll(deletions, { deletionId: 'del_a', userIds: ['u1'], sourceIds: null })
}

test('a purge applies after a restart, and in a thread that joins later', async () => {
  using folder = new TemporaryFolder()
  const [mine, later] = [acceptedEvent(), acceptedEvent()]
  {
    await using backend = await openIn(folder)
    await backend.log.append([mine])
    await purge(backend)
    await backend.log.append([later])
  }
  await using backend = await openIn(folder)
  const { data } = await backend.threads.connect()
  await using joined = await joinEmbeddedBackend(data as ConnectionData, {
    putDestination: async () => undefined,
    onCorruption: (error) => expect.unreachable(error.message),
  })
  for (const { deletions } of [backend, joined])
    expect([mine, later].map((event) => deletions.isPurged(event))).toEqual([true, false])
})

test('the record of a purged user is removed after a day', async () => {
  using folder = new TemporaryFolder()
  await using backend = await openIn(folder)
  await purge(backend)
  using db = new DatabaseSync(join(folder.path, 'hookline.db'))
  const kept = () => db.prepare('SELECT id FROM purged_ids').all().length
  await backend.upkeep.removeOldest({ before: NOON })
  // One of them covers computed events.
  expect(kept()).toBe(2)
  db.exec('UPDATE purged_ids SET added_at = added_at - 25 * 3600000')
  await backend.upkeep.removeOldest({ before: NOON })
  expect(kept()).toBe(0)
})

test('the position of an event is unknown if the table is unreadable, and 0 if the event does not exist', async () => {
  using folder = new TemporaryFolder()
  await using backend = await openIn(folder)
  const [event, other] = [acceptedEvent(), acceptedEvent()]
  await backend.log.append([event])
  const reader = new DatabaseSync(join(folder.path, 'hookline.db'), { readOnly: true })
  const positionOf = positionFinder(reader)
  expect([event, other].map(positionOf)).toEqual([1, 0])
  reader.close()
  expect(positionOf(event)).toBeUndefined()
})
