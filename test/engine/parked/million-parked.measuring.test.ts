import { expect, test } from 'vitest'
import { ReceiversProcess } from '../receivers/receivers-process.ts'
import { MeasuredService } from '@hookline/testing/service/measured-service'
import { multiplyParked } from './multiply.ts'

const PARKED = Number(process.env['HOOKLINE_TEST_PARKED'] ?? 1_000_000)
const DUE_AT_ONCE = 2_000
/** Less than an hour: startup assumes that a wrong clock set a later due time, and corrects it. */
const HALF_AN_HOUR = 30 * 60 * 1000
/** The limit for a restart, and on slow machines the limit relative to a start with an empty database. */
const RESTART_MS = 3_000
const RESTART_RATIO = 1.3
const MIB = 2 ** 20
const ROUNDS = 3
const SECONDS = 2
/** The target is 0.9. This limit leaves a margin for a busy machine. */
const MIN_RATIO = 0.8

test('a million parked deliveries hardly slow down startup or new deliveries, and need little memory', async () => {
  await using receivers = await ReceiversProcess.open()
  await using empty = await emptyService(receivers)
  await using full = await parkedService(receivers)

  await empty.stop()
  const emptyMs = await millisecondsToFirstDelivery(empty, receivers, () => empty.send(1))
  const restartMs = await millisecondsToFirstDelivery(full, receivers)
  await full.addSource(receivers.urlOf('fresh'))

  const ratios: number[] = []
  await rate(empty, receivers)
  await rate(full, receivers)
  for (let round = 0; round < ROUNDS; round++) {
    const before = await rate(empty, receivers)
    ratios.push((await rate(full, receivers)) / before)
  }
  const ratio = ratios.toSorted((a, b) => a - b)[ROUNDS >> 1]!
  const grownBytes = full.residentBytes - empty.residentBytes
  console.log(
    `${PARKED} parked: ${restartMs.toFixed(0)} ms from the start of the process to the first delivery (limit ${RESTART_MS}; empty ${emptyMs.toFixed(0)}), ` +
      `${(grownBytes / MIB).toFixed(0)} MiB more than empty (limit 150), ` +
      `throughput ${ratio.toFixed(2)} of empty (target 0.9; ${ratios.map((each) => each.toFixed(2)).join(', ')})`,
  )
  expect(restartMs).toBeLessThan(Math.max(RESTART_MS, RESTART_RATIO * emptyMs))
  expect(grownBytes).toBeLessThan(150 * MIB)
  expect(ratio).toBeGreaterThan(MIN_RATIO)
})

/** The time from the start of the process to its first delivery. */
async function millisecondsToFirstDelivery(
  service: MeasuredService,
  receivers: ReceiversProcess,
  whenReady: () => Promise<unknown> = async () => undefined,
): Promise<number> {
  const started = performance.now()
  await receivers.latenciesMs()
  await service.start()
  await whenReady()
  await expect
    .poll(async () => (await receivers.latenciesMs()).length, { interval: 20 })
    .not.toBe(0)
  return performance.now() - started
}

async function emptyService(receivers: ReceiversProcess): Promise<MeasuredService> {
  const service = new MeasuredService()
  await service.start()
  await service.addSource(receivers.urlOf('fresh'))
  return service
}

/** A stopped service with all deliveries parked for one destination, whose receiver fails only first attempts. */
async function parkedService(receivers: ReceiversProcess): Promise<MeasuredService> {
  const service = new MeasuredService()
  await service.start()
  await service.addSource(receivers.urlOf('second-try'))
  await service.send(1)
  const attemptCounts = async (): Promise<number[]> =>
    (await service.api.listAll<{ attemptCount: number }>('deliveries')).map(
      (each) => each.attemptCount,
    )
  await expect.poll(attemptCounts).toEqual([1])
  await service.stop()
  const now = Date.now()
  const dates = { dueFirst: DUE_AT_ONCE, dueAt: now, dueLaterAt: now + HALF_AN_HOUR }
  const pending = multiplyParked(service.databaseFile, { count: PARKED, ...dates })
  expect(pending).toBe(PARKED + 1)
  return service
}

/** The throughput of new calls, in deliveries per second. */
async function rate(service: MeasuredService, receivers: ReceiversProcess): Promise<number> {
  await receivers.latenciesMs()
  const started = performance.now()
  await service.load(SECONDS)
  const delivered = (await receivers.latenciesMs()).length
  return delivered / ((performance.now() - started) / 1000)
}
