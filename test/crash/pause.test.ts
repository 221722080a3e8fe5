import { expect, test } from 'vitest'
import { caseCount } from '@hookline/testing/run/case-count'
import { seededRandom } from '@hookline/testing/run/seeded-random'
import { CountingReceiver } from '@hookline/testing/receiver/counting-receiver'
import { Load } from '@hookline/testing/service/load'
import { KillableService } from './killable-service.ts'
import { SEED } from '@hookline/testing/run/seed'

const KILLS = caseCount('HOOKLINE_TEST_KILLS', 30)
/** Small, so that most pending deliveries are parked. */
const WEBHOOK_QUEUE_SIZE = 16
const SETTINGS = { HOOKLINE_WEBHOOK_QUEUE_SIZE: `${WEBHOOK_QUEUE_SIZE}` }

/** The state of the second destination in three consecutive runs of the service, repeated. */
const PLAN = ['is paused', 'stays paused', 'is resumed'] as const

test(`over ${KILLS} kills, a paused destination receives nothing until it is resumed, and no accepted call is lost`, async () => {
  const random = seededRandom(SEED)
  await using receiver = await CountingReceiver.open({ random, failing: 0.1 })
  const destinations = ['steady', 'paused'].map((path) => ({
    urls: [receiver.urlOf(path)],
    successPolicy: 'any' as const,
  }))
  await using service = await KillableService.open(destinations, SETTINGS)
  const pausedId = service.destinationIds[1]!
  const change = (action: 'pause' | 'resume'): Promise<unknown> =>
    service.api.call('POST', `destinations/${pausedId}/${action}`)
  const load = new Load(random)
  const sentWhilePaused: number[] = []
  let before = 0
  await service.killUnderLoad(load, {
    kills: KILLS,
    maxUptimeMs: 400,
    random,
    during: async (run) => {
      before = receiver.requestsTo('paused')
      const step = PLAN[run % PLAN.length]
      if (step === 'is paused') await change('pause')
      if (step === 'is resumed') await change('resume')
    },
    after: (run) => {
      if (PLAN[run % PLAN.length] === 'stays paused')
        sentWhilePaused.push(receiver.requestsTo('paused') - before)
    },
  })
  expect(sentWhilePaused).toEqual(Array(sentWhilePaused.length).fill(0))
  await change('resume')

  const lost = (): number =>
    receiver.missing('steady', load.accepted) + receiver.missing('paused', load.accepted)
  await expect.poll(lost, { timeout: 120_000, interval: 200 }).toBe(0)
  await service.stop()
  const { duplicates } = receiver
  console.log(
    `seed ${SEED}: ${KILLS} kills, ${sentWhilePaused.length} runs paused throughout, ` +
      `${load.sent} calls sent, ${load.accepted.size} answered 200, ${receiver.requestsTo('paused')} requests ` +
      `to the paused destination, lost ${lost()}, duplicates ${duplicates} (${(duplicates / KILLS).toFixed(2)} per kill)`,
  )
  // At most the deliveries in two lanes at the time of the kill, with a response that was not recorded.
  expect(duplicates / KILLS).toBeLessThan(2 * WEBHOOK_QUEUE_SIZE)
  expect(load.accepted.size).toBeGreaterThan(KILLS * 10)
})
