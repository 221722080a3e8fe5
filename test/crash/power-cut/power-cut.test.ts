import { expect, test } from 'vitest'
import { seededRandom } from '../../../packages/server/test/harness/seeded-random.ts'
import { CountingReceiver } from '../counting-receiver.ts'
import { KillableService, type KillOptions } from '../killable-service.ts'
import { Load } from '../load.ts'
import { readDatabase } from './database-after-cut.ts'
import { diskOrSkip, type ForgetfulDisk } from './forgetful-disk.ts'

const CUTS = Number(process.env['HOOKLINE_TEST_POWER_CUTS'] ?? 20)
const SEED = Number(process.env['HOOKLINE_TEST_SEED'] ?? Date.now() % 1_000_000)
/** Large, so that the write-ahead log fills up and is copied into the database, within a run of the service. */
const LARGE = { maxNoteBytes: 16_000 }

/** Every second cut forgets all that was not synced. The others forget a share of it. */
const noneOrSome = (random: () => number): number => Math.max(0, random() - 0.5) * 2

interface Cuts extends KillOptions {
  readonly disk: ForgetfulDisk
  readonly service: KillableService
  readonly load: Load
  /** The share of the writes without a sync that survive a cut. */
  readonly writtenBack: (random: () => number) => number
}

/** Cuts the power under load, and looks into the database after every cut. */
async function cutPower({ disk, service, load, writtenBack, ...options }: Cuts) {
  const forgotten = new Map<string, number>()
  const integrity = new Set<unknown>()
  let lost = 0
  const after = (run: number): void => {
    const random = seededRandom(SEED + run)
    for (const [name, bytes] of disk.cutPower(writtenBack(random), random))
      forgotten.set(name, (forgotten.get(name) ?? 0) + bytes)
    const database = readDatabase(disk.path)
    integrity.add(database.integrity)
    lost = Math.max(lost, load.accepted.difference(database.messageIds).size)
  }
  await service.killUnderLoad(load, { ...options, after })
  return { forgotten, integrity: [...integrity], lost }
}

async function openOn(disk: ForgetfulDisk, receiver: CountingReceiver): Promise<KillableService> {
  const destinations = [{ urls: [receiver.urlOf('hook')], successPolicy: 'any' as const }]
  return KillableService.open(destinations, disk.settings, disk.path)
}

test(`no call with a 200 is lost over ${CUTS} power cuts`, async ({ skip }) => {
  using disk = diskOrSkip(skip)
  const random = seededRandom(SEED)
  await using receiver = await CountingReceiver.open({ random: seededRandom(SEED), failing: 0.1 })
  await using service = await openOn(disk, receiver)
  const load = new Load(seededRandom(SEED), LARGE)
  const options = { disk, service, load, writtenBack: noneOrSome, random }
  const result = await cutPower({ ...options, kills: CUTS, maxUptimeMs: 1000 })

  const missing = (): number => receiver.missing('hook', load.accepted)
  await expect.poll(missing, { timeout: 60_000, interval: 200 }).toBe(0)
  await service.stop()
  const forgotten = [...result.forgotten].map(([name, bytes]) => `${bytes} bytes of ${name}`)
  console.log(
    `seed ${SEED}: ${CUTS} power cuts, ${load.sent} calls sent, ${load.accepted.size} answered 200, ` +
      `forgotten ${forgotten.join(', ')}; ` +
      `lost ${result.lost} in the database and ${missing()} at the receiver`,
  )
  expect(result).toMatchObject({ lost: 0, integrity: ['ok'] })
  expect(load.accepted.size).toBeGreaterThan(CUTS * 10)
  // Had a write escaped the disk, it would be missing in the copy. SQLite never syncs the index of its log.
  expect(disk.unsynced().filter((name) => name !== 'hookline.db-shm')).toEqual([])
})

test('a service whose syncs do nothing loses calls with a 200 in a power cut', async ({ skip }) => {
  using disk = diskOrSkip(skip)
  const random = seededRandom(SEED)
  await using receiver = await CountingReceiver.open({ random, failing: 0 })
  await using service = await openOn(disk, receiver)
  disk.ignoreSyncs()
  const load = new Load(seededRandom(SEED), LARGE)
  const during = (): Promise<void> =>
    expect.poll(() => load.accepted.size, { timeout: 30_000 }).toBeGreaterThan(0)
  const options = { disk, service, load, random, during, writtenBack: () => 0 }
  const { lost, integrity } = await cutPower({ ...options, kills: 1, maxUptimeMs: 300 })
  console.log(`seed ${SEED}: ${load.accepted.size} answered 200, lost ${lost} in the database`)
  expect(integrity).toEqual(['ok'])
  expect(lost).toBeGreaterThan(0)
})
