import { expect, test } from 'vitest'
import { openEmbeddedBackend } from '../../../../src/backend/embedded/open.ts'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'

test('the count of many events is an estimate, and is marked as such', async () => {
  using folder = new TemporaryFolder()
  await using backend = await openEmbeddedBackend({
    dataDir: folder.path,
    maxWaitingBytes: 2 ** 25,
  })
  for (let batch = 0; batch < 30; batch++)
    await backend.log.append(Array.from({ length: 600 }, () => acceptedEvent()))
  const { events } = await backend.upkeep.inventory()
  expect(events.isExact).toBe(false)
  expect(Math.abs(events.count - 18_000)).toBeLessThan(500)
})
