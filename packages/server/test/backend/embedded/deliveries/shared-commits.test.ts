import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { openEmbeddedBackend } from '../../../../src/backend/embedded/open.ts'
import { lastCommit } from '../../../../src/backend/embedded/database/commit-mark.ts'
import { deliveryOf } from '../../conformance/deliveries/recorded-delivery.ts'

/** The number of tries: on a busy machine, the records may be committed before the event arrives. */
const TRIES = 20

/**
 * The fewest commits in several tries to record deliveries, each followed by an event in the next
 * turn if `isFollowed`.
 */
async function commitsOf(records: number, { isFollowed }: { isFollowed: boolean }) {
  using folder = new TemporaryFolder()
  await using backend = await openEmbeddedBackend({
    dataDir: folder.path,
    maxWaitingBytes: 2 ** 26,
  })
  using database = new DatabaseSync(join(folder.path, 'hookline.db'), { readOnly: true })
  const events = Array.from({ length: records }, () => acceptedEvent())
  await backend.log.append(events)
  const deliveries = events.map((event) => ({ delivery: deliveryOf(event), attempts: [] }))
  // The first record also stores the lane.
  await backend.deliveries.record(deliveries)
  const commits: number[] = []
  for (let left = TRIES; left > 0; left--) {
    const before = lastCommit(database)
    const recorded = backend.deliveries.record(deliveries)
    await new Promise((resolve) => setImmediate(resolve))
    if (isFollowed) await backend.log.append([acceptedEvent()])
    await recorded
    commits.push(lastCommit(database) - before)
  }
  return Math.min(...commits)
}

test('a few records share the commit of the next event', async () => {
  expect(await commitsOf(3, { isFollowed: true })).toBe(1)
})

test('a few records are committed even if no event follows', async () => {
  expect(await commitsOf(3, { isFollowed: false })).toBe(1)
})

test('many records do not wait for an event', async () => {
  expect(await commitsOf(64, { isFollowed: true })).toBe(2)
})
