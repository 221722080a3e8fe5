import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { BackendUnavailableError } from '../../../../src/backend/backend.ts'
import { openEmbeddedBackend } from '../../../../src/backend/embedded/open.ts'
import { probeDisk } from '../../../../src/backend/embedded/database/data-dir.ts'
import { nextTurn } from '../../../../src/util/time/clock.ts'
import { NamedPipe } from '@hookline/testing/files/named-pipe'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'

const MAX_WAITING_BYTES = 1024 * 1024
const PROBE_BYTES = 1024 * 1024

test('a probe writes to the disk and leaves nothing behind', async () => {
  using folder = new TemporaryFolder()
  await using backend = await openEmbeddedBackend({
    dataDir: folder.path,
    maxWaitingBytes: MAX_WAITING_BYTES,
  })
  // The first probe also waits for the file that the writer's thread creates when it starts.
  await backend.probe()
  const modifiedAt = () => statSync(folder.path, { bigint: true }).mtimeNs
  const before = modifiedAt()
  const files = readdirSync(folder.path)
  await Promise.all([backend.probe(), backend.probe()])
  expect(readdirSync(folder.path)).toEqual(files)
  expect(modifiedAt()).not.toBe(before)
})

test('a probe fails if the disk is not writable, without the path of the folder', async () => {
  using folder = new TemporaryFolder()
  const missing = join(folder.path, 'gone')
  rmSync(missing, { force: true, recursive: true })
  const failure = await probeDisk(join(missing, 'hookline.db')).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(BackendUnavailableError)
  expect((failure as Error).message).toBe('Cannot write to the database disk (ENOENT).')
})

test('a probe writes incompressible data, which needs space even on a compressing file system', async () => {
  using pipe = new NamedPipe({ isBlocking: true, name: 'disk-probe' })
  const written: string[] = []
  // A pipe cannot be synced.
  const ended = expect(probeDisk(join(pipe.folder, 'hookline.db'))).rejects.toThrow('EINVAL')
  for (let bytes = 0; bytes < PROBE_BYTES; bytes += written.at(-1)!.length) {
    await nextTurn()
    written.push(pipe.read())
  }
  await ended
  const compressed = deflateSync(Buffer.from(written.join(''), 'latin1'))
  expect(compressed.length).toBeGreaterThan(PROBE_BYTES * 0.99)
})
