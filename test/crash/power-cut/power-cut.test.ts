import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { seededRandom } from '@hookline/testing/run/seeded-random'
import { caseCount } from '@hookline/testing/run/case-count'
import { CountingReceiver } from '@hookline/testing/receiver/counting-receiver'
import { KillableService } from '../killable-service.ts'
import { Load } from '@hookline/testing/service/load'
import { readDatabase } from '@hookline/testing/files/database-after-cut'
import { ForgetfulDisk } from './forgetful-disk.ts'
import { SEED } from '@hookline/testing/run/seed'

const CUTS = caseCount('HOOKLINE_TEST_POWER_CUTS', 20)
/** Large, so that a run of the service includes checkpoints of the write-ahead log. */
const LARGE = { maxNoteBytes: 16_000 }

/** Approximately the number of writes in a run of the service. */
const MAX_WRITES = 4000
/** Odd-numbered cuts happen after a number of writes, the others after a delay. */
const comesAtWrite = (run: number): boolean => run % 2 === 1 && run < CUTS

async function openOn(disk: ForgetfulDisk, receiver: CountingReceiver): Promise<KillableService> {
  const destinations = [{ urls: [receiver.urlOf('hook')], successPolicy: 'any' as const }]
  return KillableService.open(destinations, disk.settings, disk.path)
}

/** The integrity of the database after a power cut, and the number of lost calls with a 200. */
function inspectDatabase(disk: ForgetfulDisk, { accepted }: Load) {
  const { integrity, messageIds } = readDatabase(disk.path)
  return { integrity, lost: accepted.difference(messageIds).size }
}

test(`no call with a 200 is lost over ${CUTS} power cuts`, async ({ skip }) => {
  using disk = ForgetfulDisk.orSkip(skip)
  await using receiver = await CountingReceiver.open({ random: seededRandom(SEED), failing: 0.1 })
  await using service = await openOn(disk, receiver)
  const load = new Load(seededRandom(SEED), LARGE)
  const forgotten = new Map<string, number>()
  const after = (run: number): void => {
    const random = seededRandom(SEED + run)
    // About half of the cuts lose all unsynced writes. The others lose a share of them.
    for (const [name, bytes] of disk.cutPower(Math.max(0, random() - 0.5) * 2, random))
      forgotten.set(name, (forgotten.get(name) ?? 0) + bytes)
    const found = inspectDatabase(disk, load)
    expect(found, `seed ${SEED}, power cut ${run + 1}`).toEqual({ integrity: 'ok', lost: 0 })
    if (comesAtWrite(run + 1)) disk.killAfter(1 + Math.floor(random() * MAX_WRITES))
  }
  const accepted = (): number => load.accepted.size
  const options = { kills: CUTS, maxUptimeMs: 1000, random: seededRandom(SEED), accepted, after }
  await service.killUnderLoad(load, { ...options, mayEnd: comesAtWrite })

  const missing = (): number => receiver.missing('hook', load.accepted)
  await expect.poll(missing, { interval: 200 }).toBe(0)
  await service.stop()
  console.log(
    `seed ${SEED}: ${CUTS} power cuts, ${load.sent} calls sent, ${load.accepted.size} answered 200, lost 0; ` +
      `bytes forgotten: ${JSON.stringify(Object.fromEntries(forgotten))}`,
  )
  expect(load.accepted.size).toBeGreaterThan(CUTS * 10)
  // A write that was not intercepted would be missing from the copy. SQLite never syncs the index of its log, nor the truncation
  // of the log at shutdown, when its content is already in the database.
  const isExpected = (name: string): boolean =>
    name === 'hookline.db-shm' ||
    (name === 'hookline.db-wal' && statSync(join(disk.path, name)).size === 0)
  expect(disk.unsynced().filter((name) => !isExpected(name))).toEqual([])
})

test('a service whose syncs do nothing loses calls with a 200 in a power cut', async ({ skip }) => {
  using disk = ForgetfulDisk.orSkip(skip)
  const random = seededRandom(SEED)
  await using receiver = await CountingReceiver.open({ random, failing: 0 })
  await using service = await openOn(disk, receiver)
  disk.ignoreSyncs()
  const load = new Load(random, LARGE)
  const found: object[] = []
  await service.killUnderLoad(load, {
    kills: 1,
    maxUptimeMs: 300,
    random,
    during: () => expect.poll(() => load.accepted.size).toBeGreaterThan(0),
    after: () => {
      disk.cutPower(0, random)
      found.push(inspectDatabase(disk, load))
    },
  })
  console.log(`seed ${SEED}: ${load.accepted.size} answered 200, ${JSON.stringify(found)}`)
  expect(found).toEqual([{ integrity: 'ok', lost: load.accepted.size }])
})
