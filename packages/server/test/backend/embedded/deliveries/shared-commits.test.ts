import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { openEmbeddedBackend } from '../../../../src/backend/embedded/open.ts'
import { lastCommit } from '../../../../src/backend/embedded/database/commit-mark.ts'
import { deliveryOf } from '../../conformance/deliveries/recorded-delivery.ts'

async function commitsOf(records: number): Promise<number> {
  using folder = new TemporaryFolder()
  await using backend = await openEmbeddedBackend({
    dataDir: folder.path,
    maxWaitingBytes: 2 ** 26,
  })
  using database = new DatabaseSync(join(folder.path, 'hookline.db'), { readOnly: true })
  const events = Array.from({ length: records + 1 }, () => acceptedEvent())
  await backend.log.append(events)
  const [first, ...others] = events.map((event) => ({ delivery: deliveryOf(event), attempts: [] }))
  // Stores the lane.
  await backend.deliveries.record([first!])
  const before = lastCommit(database)
  const recorded = backend.deliveries.record(others)
  await new Promise((resolve) => setImmediate(resolve))
  await Promise.all([recorded, backend.log.append([acceptedEvent()])])
  return lastCommit(database) - before
}

test('a few records wait for the commit of the next event', async () => {
  expect(await commitsOf(3)).toBe(1)
})

test('many records get a separate commit', async () => {
  expect(await commitsOf(64)).toBe(2)
})
