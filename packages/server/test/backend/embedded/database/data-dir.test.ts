import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { DataDir, DataDirInUseError } from '../../../../src/backend/embedded/database/data-dir.ts'
import { openEmbeddedBackend } from '../../../../src/backend/embedded/open.ts'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'

const maxWaitingBytes = 2 ** 20

test('a second process on the folder is refused with instructions', async () => {
  using folder = new TemporaryFolder()
  using _held = new DataDir(folder.path)
  const second = openEmbeddedBackend({ dataDir: folder.path, maxWaitingBytes })
  await expect(second).rejects.toThrow(DataDirInUseError)
  await expect(second).rejects.toThrow(/in use by another Hookline process.*--data-dir/)
})

test('the folder is unlocked after its process was killed', async () => {
  using folder = new TemporaryFolder()
  const module = fileURLToPath(
    new URL('../../../../src/backend/embedded/database/data-dir.ts', import.meta.url),
  )
  const hold = `import(${JSON.stringify(module)}).then(({ DataDir }) => {
    globalThis.held = new DataDir(${JSON.stringify(folder.path)}); console.log('held'); setInterval(() => 0, 1000)
  })`
  const holder = spawn(process.execPath, ['-e', hold], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(holder.stdout, 'data')
  expect(() => new DataDir(folder.path)).toThrow(DataDirInUseError)
  holder.kill('SIGKILL')
  await once(holder, 'exit')
  using dataDir = new DataDir(folder.path)
  expect(dataDir.databaseFile).toBe(join(folder.path, 'hookline.db'))
})

test.each([
  ['garbage', 'garbage'],
  ['a process id, as in the lock files of other programs', '4711\n'],
  ['long', 'x'.repeat(100_000)],
  ['the header of a database', `SQLite format 3\0${'y'.repeat(500)}`],
])('an unheld lock file is taken over if its content is %s', async (...[, content]) => {
  using folder = new TemporaryFolder()
  const file = join(folder.path, 'hookline.lock')
  writeFileSync(file, content)
  let emptied = 0
  const onEmptiedLock = (): void => void emptied++
  await using _backend = await openEmbeddedBackend({
    dataDir: folder.path,
    maxWaitingBytes,
    onEmptiedLock,
  })
  expect(emptied).toBe(1)
  expect(statSync(file).size).toBe(0)
  expect(() => new DataDir(folder.path)).toThrow(DataDirInUseError)
})

test('an empty lock file that no process holds is reused silently', () => {
  using folder = new TemporaryFolder()
  writeFileSync(join(folder.path, 'hookline.lock'), '')
  using dataDir = new DataDir(folder.path)
  expect(dataDir.emptiedLock).toBe(false)
})

test('a lock file that is overwritten while a process holds it is still held', () => {
  using folder = new TemporaryFolder()
  using _held = new DataDir(folder.path)
  const program = `require('node:fs').writeFileSync(process.argv[1], 'garbage')`
  execFileSync(process.execPath, ['-e', program, join(folder.path, 'hookline.lock')])
  expect(() => new DataDir(folder.path)).toThrow(DataDirInUseError)
})

test('a lock file that cannot be opened is not reported as in use', () => {
  using folder = new TemporaryFolder()
  mkdirSync(join(folder.path, 'hookline.lock'))
  expect(() => new DataDir(folder.path)).toThrow('unable to open database file')
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
