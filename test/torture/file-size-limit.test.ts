import { corruptionsOf } from '@hookline/server'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { CountingReceiver } from '@hookline/testing/receiver/counting-receiver'
import { skipOrFail } from '@hookline/testing/run/skip-or-fail'
import { SendingService } from './writes/sending-service.ts'

/** Below and above the 1 MiB that the disk probe writes. */
const LIMITS_BYTES = [600_000, 1_500_000]

test('calls are refused at the file size limit and accepted once it is lifted, and none is lost', async ({
  skip,
}) => {
  using folder = new TemporaryFolder()
  await using receiver = await CountingReceiver.open({ random: Math.random, failing: 0 })
  await using service = new SendingService(folder.path)
  await service.start()
  await service.setUp(receiver)
  if (!limitFileSize(service.process.pid, 'unlimited'))
    skipOrFail('`prlimit`', 'HOOKLINE_REQUIRE_COMPILER', skip)
  const counts: string[] = []
  for (const bytes of LIMITS_BYTES) {
    limitFileSize(service.process.pid, String(bytes))
    const before = service.accepted.size
    await expect.poll(() => service.send(), { interval: 0 }).toBe(503)
    await expect.poll(() => service.readiness()).toBe(503)
    for (let times = 0; times < 20; times++) expect([200, 503]).toContain(await service.send())
    expect(service.process.isRunning(), service.process.stderr).toBe(true)
    counts.push(`${service.accepted.size - before} calls answered 200 up to ${bytes} bytes`)
    limitFileSize(service.process.pid, 'unlimited')
    await service.recovered()
  }
  const missing = (): number => receiver.missing('hook', service.accepted)
  await expect.poll(missing, { interval: 100 }).toBe(0)
  expect(receiver.duplicates).toBe(0)
  expect(await service.process.stop(), service.process.stderr).toBe(0)
  console.log(`${counts.join(', ')}; ${service.accepted.size} in total, lost 0, sent twice 0`)
  expect(service.lost()).toBe(0)
  expect(corruptionsOf(join(folder.path, 'hookline.db'))).toEqual([])
})

/** Limits the size of the files that a process writes. @returns whether this machine has `prlimit` */
function limitFileSize(pid: number, bytes: string): boolean {
  try {
    execFileSync('prlimit', ['--pid', `${pid}`, `--fsize=${bytes}:`])
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}
