import { corruptionsOf } from '@hookline/server'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { seededRandom } from '@hookline/testing/run/seeded-random'
import { CountingReceiver } from '@hookline/testing/receiver/counting-receiver'
import { FailingDisk, type Failures } from '@hookline/testing/disks/failing-disk'
import { SendingService } from './writes/sending-service.ts'
import { SEED } from '@hookline/testing/run/seed'

const OUTAGES = Number(process.env['HOOKLINE_TEST_OUTAGES'] ?? 16)
/** The number of requests sent during each outage. */
const REQUESTS = 15
const CALLS = ['writes', 'syncs', 'truncations', 'short writes'] as const

/** Cycles through the kinds of call, so that a short run covers all of them. */
function failuresOf(outage: number, random: () => number): Required<Omit<Failures, 'file'>> {
  const calls = CALLS[outage % CALLS.length]!
  const share = random() < 0.5 ? 1 : random()
  return { error: random() < 0.5 ? 'EIO' : 'ENOSPC', calls, share, seed: SEED + outage + 1 }
}

test(`no call with a 200 is lost or sent twice over ${OUTAGES} disk outages`, async ({ skip }) => {
  using disk = FailingDisk.orSkip(skip)
  const random = seededRandom(SEED)
  await using receiver = await CountingReceiver.open({ random, failing: 0 })
  await using service = new SendingService(disk.path, disk.settings)
  await service.start()
  await service.setUp(receiver)
  const statuses = new Map<string, number>()
  for (let outage = 0; outage < OUTAGES; outage++) {
    const failures = failuresOf(outage, random)
    await service.recovered()
    disk.fail(failures)
    const seen = await sendSome(service)
    for (const status of seen) {
      const key = `${failures.calls} ${failures.error}: ${status}`
      statuses.set(key, (statuses.get(key) ?? 0) + 1)
    }
    const failsAll = failures.share === 1 && ['writes', 'syncs'].includes(failures.calls)
    const expected = failsAll ? [503] : [200, 503]
    expect(expected, JSON.stringify({ failures, seen })).toEqual(expect.arrayContaining(seen))
    if (failsAll) expect(await service.readiness()).toBe(503)
    disk.repair()
  }
  await service.recovered()
  const missing = (): number => receiver.missing('hook', service.accepted)
  await expect.poll(missing, { interval: 100 }).toBe(0)
  const { duplicates } = receiver
  // Restarted without the failing disk: the database must be intact, with no commit missing.
  await service.process.kill()
  expect(service.lost()).toBe(0)
  await service.start({})
  await service.recovered()
  await expect.poll(missing, { interval: 100 }).toBe(0)
  await service.process.stop()
  console.log(
    `seed ${SEED}: ${OUTAGES} outages, ${service.accepted.size} calls answered 200, lost 0, sent twice ${duplicates}; failed: ${disk.failed.join()}; ` +
      JSON.stringify(Object.fromEntries(statuses)),
  )
  expect(duplicates).toBe(0)
  // Proves that the outages did cause failures.
  expect(disk.failed).toEqual(expect.arrayContaining(['writes', 'syncs', 'short writes']))
  expect(corruptionsOf(join(disk.path, 'hookline.db'))).toEqual([])
})

async function sendSome(service: SendingService): Promise<number[]> {
  const seen: number[] = []
  for (let requests = 0; requests < REQUESTS; requests++) seen.push(await service.send())
  expect(service.process.isRunning(), service.process.stderr).toBe(true)
  return seen
}
