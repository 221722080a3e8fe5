import { copyFileSync, existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { DataDir } from '../../../../src/backend/embedded/database/data-dir.ts'
import { openEmbeddedBackend } from '../../../../src/backend/embedded/open.ts'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'

const maxWaitingBytes = 2 ** 26

test('a copy made under load includes all earlier commits, and does not block new ones', async () => {
  using folder = new TemporaryFolder()
  using elsewhere = new TemporaryFolder()
  await using backend = await openEmbeddedBackend({ dataDir: folder.path, maxWaitingBytes })
  const before = Array.from({ length: 20_000 }, () => acceptedEvent())
  await backend.log.append(before)
  const file = join(elsewhere.path, 'hookline.db')
  const copied = new AbortController()
  const copying = backend.copyTo(file).finally(() => copied.abort())
  let during = 0
  while (!copied.signal.aborted) {
    await backend.log.append([acceptedEvent()])
    during += 1
  }
  await copying
  expect(during).toBeGreaterThan(0)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(existsSync(`${file}.partial`)).toBe(false)
  copyFileSync(join(folder.path, 'encryption-key'), join(elsewhere.path, 'encryption-key'))
  await using copy = await openEmbeddedBackend({ dataDir: elsewhere.path, maxWaitingBytes })
  for (const { id } of [before[0]!, before.at(-1)!])
    expect(await copy.events.find(id)).toBeDefined()
  using db = DataDir.openForReading(file)
  const { count } = db.prepare('SELECT count(*) AS count FROM events').get()!
  expect(Number(count)).toBeGreaterThanOrEqual(before.length)
})

test('a copy that cannot be written leaves no file', async () => {
  using folder = new TemporaryFolder()
  await using backend = await openEmbeddedBackend({ dataDir: folder.path, maxWaitingBytes })
  await expect(backend.copyTo(join(folder.path, 'none', 'copy.db'))).rejects.toThrow('ENOENT')
})
