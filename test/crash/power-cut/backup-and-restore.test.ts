import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { HOOKLINE } from '@hookline/testing/repository'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { openEmbeddedBackend } from '../../../packages/server/src/backend/embedded/open.ts'
import { corruptionsOf } from '../../../packages/server/src/backend/embedded/stopped/stopped-database.ts'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { freePort } from '@hookline/testing/network/free-port'
import { ServiceProcess } from '@hookline/testing/service/service-process'
import { ForgetfulDisk } from './forgetful-disk.ts'

const TOKEN = 'tok_of-the-tests-of-power-cuts'

/** Runs a `hookline` command on the disk, then cuts the power, which discards everything unsynced. */
async function runAndCut(disk: ForgetfulDisk, ...args: readonly string[]): Promise<void> {
  const env = { PATH: process.env['PATH'], HOOKLINE_ADMIN_TOKEN: TOKEN, ...disk.settings }
  await promisify(execFile)(process.execPath, [HOOKLINE, ...args], { env })
  disk.cutPower(0, () => 1)
}

/** Stores an event in the database of the folder. Returns its id. */
async function storeEvent(folder: TemporaryFolder): Promise<string> {
  await using backend = await openEmbeddedBackend({
    dataDir: folder.path,
    maxWaitingBytes: 2 ** 20,
  })
  const event = acceptedEvent()
  await backend.log.append([event])
  return event.id
}

test('a backup of a stopped service survives a power cut', async ({ skip }) => {
  using disk = ForgetfulDisk.orSkip(skip)
  using folder = new TemporaryFolder()
  await storeEvent(folder)
  const backup = join(disk.path, 'backup.db')
  await runAndCut(disk, 'backup', backup, '--stopped', '--data-dir', folder.path)
  expect(corruptionsOf(backup)).toEqual([])
})

test('a backup of a running service survives a power cut', async ({ skip }) => {
  using disk = ForgetfulDisk.orSkip(skip)
  using folder = new TemporaryFolder()
  const settings = { HOOKLINE_ADMIN_TOKEN: TOKEN, HOOKLINE_LOG_LEVEL: 'error' }
  const port = await freePort()
  const service = new ServiceProcess({ port, dataDir: folder.path, settings })
  await using _ = { [Symbol.asyncDispose]: () => service.kill() }
  expect(await service.ready(), service.stderr).toBe(true)
  const backup = join(disk.path, 'backup.db')
  await runAndCut(disk, 'backup', backup, '--url', service.url)
  expect(corruptionsOf(backup)).toEqual([])
})

test('a restored database and the database that it replaced survive a power cut', async ({
  skip,
}) => {
  using disk = ForgetfulDisk.orSkip(skip)
  const database = join(disk.path, 'hookline.db')
  for (const replaced of [false, true]) {
    using folder = new TemporaryFolder()
    await storeEvent(folder)
    const file = join(folder.path, 'hookline.db')
    const options = replaced ? ['--replace', '--yes'] : []
    await runAndCut(disk, 'restore', file, '--data-dir', disk.path, ...options)
    expect(corruptionsOf(database)).toEqual([])
    if (replaced) expect(corruptionsOf(`${database}.before-restore`)).toEqual([])
  }
})
