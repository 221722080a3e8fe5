import { expect, onTestFinished, test } from 'vitest'
import { caseCount } from '@hookline/testing/run/case-count'
import { seededRandom } from '@hookline/testing/run/seeded-random'
import { CountingReceiver } from '@hookline/testing/receiver/counting-receiver'
import { Load } from '@hookline/testing/service/load'
import { KillableService } from './killable-service.ts'
import { SEED } from '@hookline/testing/run/seed'

const KILLS = caseCount('HOOKLINE_TEST_KILLS', 200)
const KILLS_WITH_OUTAGES = caseCount('HOOKLINE_TEST_KILLS', 60)
const WEBHOOK_QUEUE_SIZE = 256

test(`no call with a 200 is lost over ${KILLS} kills`, async () => {
  const random = seededRandom(SEED)
  await using receiver = await CountingReceiver.open({ random, failing: 0.1 })
  const urls = [receiver.urlOf('hook')]
  await using service = await KillableService.open([{ urls, successPolicy: 'any' }])
  const load = new Load(random)
  await service.killUnderLoad(load, {
    kills: KILLS,
    maxUptimeMs: 300,
    random,
    accepted: () => load.accepted.size,
  })

  const lost = (): number => receiver.missing('hook', load.accepted)
  await expect.poll(lost, { interval: 200 }).toBe(0)
  await service.stop()
  const { duplicates } = receiver
  console.log(
    `seed ${SEED}: ${KILLS} kills, ${summary(load)}, lost ${lost()}, ${perKill(duplicates, KILLS)}`,
  )
  // Only deliveries in the lane at the time of the kill, with a response that was not recorded, may be duplicated.
  expect(duplicates / KILLS).toBeLessThan(WEBHOOK_QUEUE_SIZE)
  expect(load.accepted.size).toBeGreaterThan(KILLS * 10)
})

test(`over ${KILLS_WITH_OUTAGES} kills, each webhook receives every call, although receivers fail and have outages`, async () => {
  const random = seededRandom(SEED)
  const paths = ['any', 'each-1', 'each-2', 'each-3']
  await using receiver = await CountingReceiver.open({ random, failing: 1 / 3 })
  const [first = '', ...others] = paths.map((path) => receiver.urlOf(path))
  await using service = await KillableService.open([
    { urls: [first], successPolicy: 'any' },
    { urls: others, successPolicy: 'each' },
  ])
  const outages = startOutages(receiver, random)
  const load = new Load(random)
  await service.killUnderLoad(load, { kills: KILLS_WITH_OUTAGES, maxUptimeMs: 600, random })
  outages.end()

  const lost = (): number =>
    paths.reduce((sum, path) => sum + receiver.missing(path, load.accepted), 0)
  await expect.poll(lost, { timeout: 120_000, interval: 200 }).toBe(0)
  await service.stop()
  const { duplicates, refused } = receiver
  console.log(
    `seed ${SEED}: ${KILLS_WITH_OUTAGES} kills and ${outages.count} outages, ${summary(load)}, ` +
      `${refused} requests refused, lost ${lost()}, ${perKill(duplicates, KILLS_WITH_OUTAGES)}`,
  )
  // As above, for four lanes: one for each webhook.
  expect(duplicates / KILLS_WITH_OUTAGES).toBeLessThan(WEBHOOK_QUEUE_SIZE * paths.length)
  expect(outages.count).toBeGreaterThan(0)
  expect(load.accepted.size).toBeGreaterThan(KILLS_WITH_OUTAGES * 10)
})

/** Takes the receiver down repeatedly, for up to two seconds each time, until `end` is called. */
function startOutages(receiver: CountingReceiver, random: () => number) {
  const outages = { count: 0, end: (): void => undefined }
  const change = (): void => {
    receiver.isDown = !receiver.isDown
    if (receiver.isDown) outages.count++
    timer = setTimeout(change, random() * 2000)
  }
  let timer = setTimeout(change, random() * 2000)
  outages.end = () => {
    clearTimeout(timer)
    receiver.isDown = false
  }
  onTestFinished(outages.end)
  return outages
}

function summary({ sent, accepted }: Load): string {
  return `${sent} calls sent, ${accepted.size} answered 200`
}

function perKill(duplicates: number, kills: number): string {
  return `duplicates ${duplicates} (${(duplicates / kills).toFixed(2)} per kill)`
}
