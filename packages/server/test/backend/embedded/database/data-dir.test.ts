import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { DataDir, DataDirInUse } from '../../../../src/backend/embedded/database/data-dir.ts'
import { openEmbeddedBackend } from '../../../../src/backend/embedded/open.ts'
import { TemporaryFolder } from '../../../harness/temporary-folder.ts'

const maxWaitingBytes = 2 ** 20

test('a second process on the folder is refused, and reads what to do', async () => {
  using folder = new TemporaryFolder()
  using _held = new DataDir(folder.path)
  const second = openEmbeddedBackend({ dataDir: folder.path, maxWaitingBytes })
  await expect(second).rejects.toThrow(DataDirInUse)
  await expect(second).rejects.toThrow(/in use by another Hookline process.*--data-dir/)
})

test('the folder is free again after its process was killed', async () => {
  using folder = new TemporaryFolder()
  const module = fileURLToPath(
    new URL('../../../../src/backend/embedded/database/data-dir.ts', import.meta.url),
  )
  const hold = `import(${JSON.stringify(module)}).then(({ DataDir }) => {
    globalThis.held = new DataDir(${JSON.stringify(folder.path)}); console.log('held'); setInterval(() => 0, 1000)
  })`
  const holder = spawn(process.execPath, ['-e', hold], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(holder.stdout, 'data')
  expect(() => new DataDir(folder.path)).toThrow(DataDirInUse)
  holder.kill('SIGKILL')
  await once(holder, 'exit')
  using dataDir = new DataDir(folder.path)
  expect(dataDir.databaseFile).toBe(join(folder.path, 'hookline.db'))
})

test('only the owner can read the folder and the database', async () => {
  using folder = new TemporaryFolder()
  const dataDir = join(folder.path, 'data')
  await using _backend = await openEmbeddedBackend({ dataDir, maxWaitingBytes })
  const mode = (path: string): number => statSync(path).mode & 0o777
  expect(mode(dataDir)).toBe(0o700)
  for (const file of ['hookline.db', 'hookline.db-wal'])
    expect(mode(join(dataDir, file))).toBe(0o600)
})
