import { expect, test } from 'vitest'
import { openEmbeddedBackend } from '../../../src/backend/embedded/open.ts'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { fillArchive } from '@hookline/testing/files/fill-archive'
import { search } from './search.ts'

test('the event loop is mostly idle while a search scans 200,000 events', async () => {
  using folder = new TemporaryFolder()
  fillArchive(folder, { events: 200_000 })
  await using backend = await openEmbeddedBackend({
    dataDir: folder.path,
    maxWaitingBytes: 2 ** 24,
  })
  const start = performance.eventLoopUtilization()
  const { found, pages } = await search(backend, 'nowhere')
  const { utilization } = performance.eventLoopUtilization(start)
  expect(found).toBe(0)
  // A page scans a limited part of the archive.
  expect(pages).toBeGreaterThan(1)
  // On the main thread, the search would block the loop almost completely.
  expect(utilization).toBeLessThan(0.5)
})
